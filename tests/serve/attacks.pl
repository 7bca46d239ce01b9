#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What nobody should send to a classroom: attacks.pl PORT LOG FOLDER. Each is refused or contained,
# leaves one line in the log, and the server goes on.
#
#   attacks.pl PORT save PROGRAM N saves a text as bob, begins a run that does not end, waits N seconds
#   attacks.pl PORT saved          that text is there
#   attacks.pl PORT write FILE     saves one version of a text after the other, and into FILE which
#   attacks.pl PORT written FILE   the text is whole, and that version or the next
#   attacks.pl PORT passed FILE    bob passes puzzle 1 with that text
use strict;
use warnings;
use utf8;
use HTTP::Tiny;
use IO::Handle;
use IO::Socket::INET;
use JSON::PP;
use Time::HiRes qw(sleep time);

my ($port, $what, $file) = @ARGV;
my $address = "http://127.0.0.1:$port";
my $failed = 0;

sub check {
    my ($name, $holds, $more) = @_;
    return if $holds;
    print STDERR "$name: ", $more // '', "\n";
    $failed++;
}

# A request as a browser makes it: to PATH, with a body that is JSON, as that person.
sub ask {
    my ($path, $body, %options) = @_;
    my $who = $options{who};
    my %headers = ($who ? (Cookie => "session=$who->{cookie}", 'X-Token' => $who->{token}) : ());
    %headers = (%headers, 'Content-Type' => 'application/json') if defined $body;
    %headers = (%headers, %{$options{headers} // {}});
    my $http = HTTP::Tiny->new(timeout => 30);
    my $method = $options{method} // (defined $body ? 'POST' : 'GET');
    my $text = ref $body ? encode_json($body) : $body;
    return $http->request($method, "$address$path", {headers => \%headers, content => $text // ''});
}

sub enter {
    my ($name, $code) = @_;
    my $answer = ask('/api/sign-in', {name => $name, code => $code});
    return undef unless $answer->{success};
    my ($cookie) = $answer->{headers}{'set-cookie'} =~ /session=(\w+)/;
    my $who = {cookie => $cookie, token => ''};
    $who->{token} = decode_json(ask('/api/me', undef, who => $who)->{content})->{token};
    $who->{header} = $answer->{headers}{'set-cookie'};
    return $who;
}

# Bytes as they are; what comes back within `patience` seconds.
sub raw {
    my ($bytes, $patience) = @_;
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or return '';
    local $SIG{PIPE} = 'IGNORE';
    $socket->print($bytes);
    my $said = '';
    eval {
        local $SIG{ALRM} = sub { die };
        alarm($patience // 5);
        while (sysread $socket, my $more, 65536) { $said .= $more }
        alarm 0;
    };
    return $said;
}

sub lines_of_log { open my $in, '<', $what or return (); return <$in> }

# The status is that, and the log has one more line.
sub refused {
    my ($name, $status, $answer) = @_;
    sleep 0.02;
    my $lines = lines_of_log();
    check($name, $answer->{status} == $status, "status $answer->{status}, not $status");
    our $before;
    my $now = scalar(my @all = lines_of_log());
    check("$name: log", $now == $before + 1, "$before, then $now lines");
    $before = $now;
}

# The events of a job, until its end.
sub run {
    my ($who, $work) = @_;
    my $asked = ask('/api/work', $work, who => $who);
    return $asked unless $asked->{success};
    my $job = decode_json($asked->{content})->{job};
    return ask("/api/events?job=$job", undef, who => $who)->{content};
}

if ($what eq 'save') {
    my $bob = enter('bob', 'code-of-bob');
    open my $in, '<', $file or die;
    my $text = do { local $/; <$in> };
    check('save', ask('/api/save', {puzzle => '01_every_element', text => "// mine, kept\n"}, who => $bob)->{success});
    check('save', ask('/api/save', {program => 'mine.cu', text => $text}, who => $bob)->{success});
    check('work', ask('/api/work', {kind => 'program', source => $text}, who => $bob)->{success});
    sleep $ARGV[3];
    exit($failed > 0);
}
sub version { return "// version $_[0]\n" . "// and a line of it\n" x 8000 }
if ($what eq 'write') {
    my $bob = enter('bob', 'code-of-bob');
    open my $out, '>', $file or die;
    $out->autoflush;
    for my $i (1 .. 55) {
        exit 0 unless ask('/api/save', {program => 'mine.cu', text => version($i)}, who => $bob)->{success};
        print $out "$i\n";
    }
    exit 0;
}
if ($what eq 'written') {
    open my $in, '<', $file or die;
    my @answered = <$in>;
    my $text = decode_json(ask('/api/program?name=mine.cu', undef, who => enter('bob', 'code-of-bob'))->{content})->{text};
    my ($is) = $text =~ m{^// version (\d+)\n};
    check('whole', $is && $text eq version($is), substr $text, 0, 40);
    check('not the last', $is && ($is == @answered || $is == @answered + 1), "$is, not " . @answered);
    check('all was saved before', @answered < 55);
    exit($failed > 0);
}
if ($what eq 'passed') {
    my $bob = enter('bob', 'code-of-bob');
    open my $in, '<', $file or die;
    my $text = do { local $/; <$in> };
    check('passed', run($bob, {kind => 'grade', puzzle => '01_every_element', source => $text}) =~ /"verdict":"passed"/);
    exit($failed > 0);
}
if ($what eq 'saved') {
    my $bob = enter('bob', 'code-of-bob');
    my $puzzle = ask('/api/puzzle?name=01_every_element', undef, who => $bob)->{content};
    check('puzzle', decode_json($puzzle)->{text} eq "// mine, kept\n", $puzzle);
    my $program = ask('/api/program?name=mine.cu', undef, who => $bob)->{content};
    check('program', $program =~ /__global__ void spin/, $program);
    exit($failed > 0);
}

our $before = scalar(my @lines = lines_of_log());
my $bob = enter('bob', 'code-of-bob');
my $zhang = enter('张三', 'code-of-zhang');
check('sign in', $bob && $zhang);
check('cookie', $bob->{header} =~ /HttpOnly/ && $bob->{header} =~ /SameSite=Strict/, $bob->{header});

# Codes, cookies, tokens.
refused('wrong code', 403, ask('/api/sign-in', {name => 'bob', code => 'code-of-bo'}));
refused('no such person', 403, ask('/api/sign-in', {name => 'eve', code => 'code-of-bob'}));
refused('forged cookie', 401, ask('/api/puzzles', undef, who => {cookie => '0' x 64, token => ''}));
(my $changed = $bob->{cookie}) =~ s/(.)$/$1 eq '0' ? '1' : '0'/e;
refused('changed cookie', 401, ask('/api/puzzles', undef, who => {cookie => $changed, token => ''}));
refused('cookie of another length', 401, ask('/api/puzzles', undef, who => {cookie => "' OR 1=1 --", token => ''}));
refused('no token', 403, ask('/api/save', {program => 'a.cu', text => ''}, who => {%$bob, token => ''}));
refused('another one\'s token', 403, ask('/api/save', {program => 'a.cu', text => ''}, who => {%$bob, token => $zhang->{token}}));
refused('cross-site post', 403, ask('/api/save', {program => 'a.cu', text => ''}, who => $bob, headers => {Origin => 'http://evil.example'}));
refused('cross-site post, as browsers say', 403, ask('/api/save', {program => 'a.cu', text => ''}, who => $bob, headers => {'Sec-Fetch-Site' => 'cross-site'}));
refused('a form', 403, ask('/api/save', 'program=a.cu', who => $bob, headers => {'Content-Type' => 'text/plain'}));
refused('method', 405, ask('/api/save', undef, method => 'DELETE', who => $bob));
refused('for the instructor', 403, ask('/api/class', undef, who => $bob));
refused('for the instructor too', 403, ask('/api/class.csv', undef, who => $bob));

# Paths.
for my $path ('/../../etc/passwd', '/static/../../../etc/passwd', '/static/%2e%2e/%2e%2e/etc/passwd', '/docs/figures/..%2f..%2fserve.db') {
    my $said = raw("GET $path HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    check($path, $said =~ m{^HTTP/1.1 404} && $said !~ /root:/, $said);
}
$before = scalar(@lines = lines_of_log());
for my $name ('docs/../CONTRIBUTING.md', 'docs/zh/../../README.md', '../etc/passwd', 'docs//sumsq.md', '/etc/passwd.md') {
    refused("page $name", 404, ask("/api/page?name=$name"));
}
refused('puzzle', 404, ask('/api/puzzle?name=../13_wait_for_it', undef, who => $bob));
refused('step', 404, ask('/api/step?name=../sumsq/v3_coalesced'));
for my $name ('../bob/a.cu', '/tmp/a.cu', '.a.cu', 'a.txt', 'a/b.cu', '-o.cu', "a\nb.cu", 'a' x 80 . '.cu') {
    refused("program $name", 400, ask('/api/save', {program => $name, text => ''}, who => $bob));
}
refused('another\'s program', 404, ask('/api/program?name=../../%E5%BC%A0%E4%B8%89/programs/secret.cu', undef, who => $bob));

# Another student's work.
check('own program', ask('/api/save', {program => 'secret.cu', text => 'int secret;'}, who => $zhang)->{success});
my $theirs = ask('/api/program?name=secret.cu', undef, who => $bob)->{content};
check('another student\'s program', $theirs eq '{"text":null}', $theirs);
my $job = decode_json(ask('/api/work', {kind => 'step', step => 'start/a1_hello'}, who => $zhang)->{content})->{job};
refused('another student\'s run', 404, ask("/api/events?job=$job", undef, who => $bob));
refused('another student\'s run, to cancel', 404, ask('/api/cancel', {job => $job}, who => $bob));
my $mode = (stat "$file/bob")[2] // (stat $file)[2];
check('folders are closed', !($mode & 077), sprintf('%o', $mode));

# Work that is none.
refused('kind', 400, ask('/api/work', {kind => 'rm -rf /', source => ''}, who => $bob));
refused('gpu', 400, ask('/api/work', {kind => 'step', step => 'sumsq/v3', gpu => '--trace=/x'}, who => $bob));
refused('a GPU that is not there', 400, ask('/api/work', {kind => 'step', step => 'sumsq/v3_coalesced', gpu => 'own'}, who => $bob));
my $said = run($bob, {kind => 'step', step => 'sumsq/v3_coalesced', n => -5, threads => 1 << 40});
check('numbers', $said =~ /"event":"result"/, $said);
$said = run($bob, {kind => 'step', step => 'sumsq/nothing'});
check('no such step', $said =~ /"event":"failed"/, $said);
$said = run($bob, {kind => 'grade', puzzle => '01_every_element', source => "#include \"/etc/passwd\"\n"});
check('include', $said =~ /"verdict":"(include|compile)"/ && $said !~ /root:x/, $said);
my $tag = '<script>alert(1)</script>';
$said = run($bob, {kind => 'grade', puzzle => '01_every_element', source => "#error $tag\n"});
check('a script in a text', $said =~ /"verdict":"compile"/, $said);
$before = scalar(@lines = lines_of_log());

# Too much.
refused('no JSON', 400, ask('/api/save', '{"program": ', who => $bob));
refused('an archive of paths', 400, ask('/api/save', "PK\x03\x04" . 'x' x 26 . '../../etc/cron.d/x', who => $bob));
refused('JSON, but no object', 400, ask('/api/save', '[1]', who => $bob));
refused('a body too long', 413, ask('/api/save', '{"a":"' . 'x' x 300_000 . '"}', who => $bob));
refused('a text too long', 507, ask('/api/save', {program => 'a.cu', text => 'x' x 200_000}, who => $bob));
refused('a path too long', 414, ask('/' . 'x' x 2000));
$said = raw("POST /api/save HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    . ("10000\r\n" . 'x' x 65536 . "\r\n") x 8 . "0\r\n\r\n");
check('chunks without an end', $said =~ m{^HTTP/1.1 4}, substr $said, 0, 200);
$said = raw("GET / HTTP/1.1\r\nHost: x\r\n" . join('', map { "X-$_: " . 'y' x 900 . "\r\n" } 1 .. 200) . "\r\n");
check('headers too long', $said =~ m{^HTTP/1.1 4}, substr $said, 0, 100);
$said = raw("\x00\xff\x16\x03 nonsense\r\n\r\n");
check('no HTTP', $said eq '' || $said =~ m{^HTTP/1.\d 4}, $said);
my @waiting = map { ask('/api/work', {kind => 'grade', puzzle => '13_wait_for_it', source => "\n" x 1000}, who => $zhang)->{status} } 1 .. 8;
check('too much waits', (grep { $_ == 429 } @waiting) >= 4, "@waiting");
my @often = map { ask('/api/sign-in', {name => 'bob', code => "guess-$_-guess"})->{status} } 1 .. 60;
check('codes to guess', (grep { $_ == 429 } @often) >= 45, "@often");
check('others come in all the same', enter('张三', 'code-of-zhang'));
check('the class still works', ask('/api/puzzles', undef, who => $bob)->{success});

# One student who listens thirty times, where programs run.
if (decode_json(ask('/api/me')->{content})->{sandbox}) {
    $job = decode_json(ask('/api/work', {kind => 'program', source => "int main() { for (;;) ; }\n"}, who => $bob)->{content})->{job};
    my @listening = map {
        my $one = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port);
        $one->print("GET /api/events?job=$job HTTP/1.1\r\nHost: x\r\nCookie: session=$bob->{cookie}\r\n\r\n");
        sysread $one, my $head, 12;
        [$one, $head];
    } 1 .. 30;
    my $heard = grep { $_->[1] =~ /200/ } @listening;
    check('listeners', $heard == 16, "$heard of 30");
    check('cancelled', ask('/api/cancel', {job => $job}, who => $bob)->{success});
}

# Programs that mean harm: each is ended, and a line of the log says whose it was. Those that end only
# when their time is up run beside each other.
sub harm {
    my ($who, $name) = @_;
    open my $in, '<', ($0 =~ s/attacks\.pl$/programs\/$name.cu/r) or die "$name: $!";
    my $text = do { local $/; <$in> };
    my $answer = ask('/api/work', {kind => 'program', source => $text}, who => $who);
    check($name, $answer->{success}, $answer->{content});
    return decode_json($answer->{content})->{job};
}
if (decode_json(ask('/api/me')->{content})->{sandbox}) {
    my $logged = grep { /the sandbox ended a run of/ } lines_of_log();
    my %jobs = map { $_ => harm($bob, $_) } qw(bomb endless flood);
    for my $name (sort keys %jobs) {
        $said = ask("/api/events?job=$jobs{$name}", undef, who => $bob)->{content};
        check("$name: its end", $said =~ /"event":"result"/ && length $said < 200_000, substr $said, 0, 500);
    }
    my @ended = map { /ended a run of (.*)/ ? $1 : () } lines_of_log();
    check('a line each', @ended == $logged + 3, "@ended");
    check('whose', (grep { /^bob: (stopped after 30 s|File size)/ } @ended) == 3, "@ended");
    check('up', ask('/api/puzzles', undef, who => $bob)->{success});
}

# Connections that say nothing, or too slowly: the next caller is answered all the same.
my (@silent, $turned_away);
for (1 .. 10_000) {
    my $one = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 1);
    if ($one) {
        syswrite $one, "GET / HTTP/1.1\r\nX-Slow: ";
        push @silent, $one;
    } elsif (++$turned_away == 20) {
        last; # the queue of the system is full, or we may have no more files
    }
}
my $begin = time;
my $answer = ask('/');
check(scalar(@silent) . ' silent connections', $answer->{status} == 200 && time - $begin < 20,
    "$answer->{status} after " . (time - $begin) . ' s');
check('a line about them', (grep { /they said nothing/ } lines_of_log()) > 0) if @silent > 2000;
printf "%d silent connections, the next caller answered after %.1f s\n", scalar(@silent), time - $begin;
exit($failed > 0);
