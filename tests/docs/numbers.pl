#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# numbers.pl [--mend] ROOT [CTEST BUILD]: every number in the prose of the pages under ROOT has a source,
# and the Chinese page has the same numbers in the same sections. With CTEST and BUILD, the tests that are
# named as sources exist. --mend writes what the tables have now in the place of the numbers that they
# had, in both languages, and says which lines to read again.
#
# The sources of docs/PAGE.md stand in docs/claims/PAGE.md, a page of Markdown. Below "## ANCHOR" are those
# of that section of the page, below "## everywhere" those of the whole page; a line each:
#
#   - FRAGMENT <- SOURCE; SOURCE
#
# FRAGMENT is quoted from the page and holds one or more numbers; it may be as short as "27.6 us". A # in
# it stands for any number, so that a table can be filled again and only the page be corrected. Each of
# the numbers has a source, or one source has them all. A source is an expression, in which stand
#
#   [gpu v3 time]            a cell of a generated table (gpu, emulator, compare_ncu, table for one
#                            that a test compares): row, column, and #2 for the second number in it;
#                            [sumsq/gpu v3 time] on another page. A table that no reader needs may
#                            stand in the claims file, below "## emulated"
#   {FILE: WORDS: NAME}      the number after NAME, after WORDS, in a file of the repository
#   4096 * 4 / 128           arithmetic: + - * / ^ ( ) min max floor ceil log2 sqrt
#
# or one of
#
#   shown TEXT               a line with TEXT in a session or listing of the page has these numbers, or
#                            one in the claims file, whose sessions and changes are run as the page's are
#   in FILE: TEXT            a line with TEXT in this file has them
#   run COMMAND: TEXT        a line with TEXT that this command prints has them
#   is [CELL]: WORDS         the cell has these words and no others, as "memory" in the column bound by; for
#                            a fragment without a digit, which may have several of these
#   test NAME                the test NAME fails if they are wrong
#   from NAME WHERE          somebody else's figure: NAME is in docs/claims/sources.md
#   measured NAME            measured once: NAME is in docs/claims/sources.md
#   example                  chosen by the page, nothing to be wrong
#
# "- table <- test NAME" covers the tables of the section. "- zh: FRAGMENT <- SOURCE" is a number that only
# the Chinese page has, "- zh lacks 96, 12" are those that it has not.
#
# A number must be its source rounded to the digits written; "about" allows 10 %, "more than" up to
# twice, "less than" anything below. A fragment without digits is compared by its words: half, twice,
# three times, a quarter, each within 10 %, or 20 % with "about". No source is asked for: single digits
# without a unit; powers written as such (2^32 with a superscript); 32 lanes, threads of a warp or banks;
# which one it is (thread 31, row 50); names (v3, H200, CUDA 13, 64-bit), years, sections; code, code spans,
# headings, what stands between markers. A sum that is spelt out, 8 + 36 + 1 = 45, is worked out.
#
# Prints how many numbers of each page come from where, and a line for each fault, "page:line: what"; exits
# with 1 if there is any.
use strict;
use warnings;
use utf8;
use List::Util qw(any first max min sum0);
use POSIX qw(ceil floor);

my $SUPERSCRIPT = '[⁰¹²³⁴-⁹]';
my $NUMBER = qr/(?:[0-9]{1,3}(?![0-9])(?:[ ][0-9]{3}(?![0-9]))*|[0-9]+)(?:\.[0-9]+)?/;
my $YEAR = '(?:19[89]|20[0-2])[0-9]';
my $ABOUT = 'about|almost|nearly|roughly';
my $WIDTH = '(?:-(?:bit|byte)s?| bits| ?位)'; # 32-bit and 8 bits are types
my $KINDS = qr/^(?:test |from |measured |shown |in |run |is |example)/;

# What stands in a line and is no statement: code, targets of links, names of things that have numbers in
# them.
my @NAMES = map { qr/($_)/ } (
    '`[^`]*`', '!\[[^]]*\]', '\]\([^)]*\)', '<[^>]*>', 'https?://[^ ]*',
    "(?<![0-9.])(?:[0-9.]+(?:, |、))*[0-9.]+,? (?:and|or|to|和|或|到) [0-9.]+$WIDTH", "[0-9.]+$WIDTH",
    '^ *[0-9]+\. ', '^\*\*[0-9]+[.。]?\*\*',
    '(?:Question|Exercise|Part|思考|练习|问题|答案) ?[0-9]+[a-z]?',
    '(?:GeForce )?(?:88|98|86|84)00 ?(?:M )?(?:GT[XS]?|GS|Ultra)?',
    '8400M GS|GTX [0-9]+|RTX [0-9]+|Tesla [CTVP][0-9]+|GT[0-9]+',
    'x86-64|[0-9]+_[A-Za-z0-9_]*|[0-9]+(?:st|nd|rd|th)(?:[^A-Za-z]|$)', 'toolkit, [0-9]+ or [0-9]+',
    'IEEE 754(?:-[0-9]+)?|FIPS [0-9]+|ISO [0-9]+|UTF-[0-9]+|RFC [0-9]+|SPDX [0-9.]+',
    '(?:CUDA|PTX|PTX ISA|CMake|Ubuntu|Debian|Linux|CUB|Clang|clang|GCC|gcc|nvcc|Python|driver|toolkit|' .
        '[Vv]ersions?|capability|计算能力|驱动|工具包|版本)[ -]?' .
        '[0-9][0-9.]*(?: (?:and|to|or|和|到) [0-9][0-9.]*[0-9])?',
    '(?<![A-Za-z_])(?!(?<=[0-9])e-[0-9])[A-Za-z_][A-Za-z_.]*+-?[0-9][0-9A-Za-z_.]*', '[0-9]D(?:[^A-Za-z]|$)',
    "(?:in|of|since|until|from|before|after|by|late|early|for|and|to|article|'s) $YEAR(?:[^0-9A-Za-z%]|\$)",
    "0x[0-9A-Fa-f]*|[0-9.]+ 版|(?:, |，)$YEAR(?:\\)|）)|（$YEAR）",
    "$YEAR(?: and |、)$YEAR", "\\($YEAR\\)", "$YEAR ?(?:年|article|talk)",
    '(?:[Cc]hapter|[Ss]ections?|[Tt]able|[Ff]igure|[Pp]uzzles?|[Aa]nswers?|[Hh]ints?) ' .
        '[0-9][0-9.]*(?: (?:and|to) [0-9]+)?',
    '第 ?[0-9]+(?:\.[0-9]+)* ?(?:章|节|题|步)',
);
my %MAGNITUDES = (thousand => 1e3, million => 1e6, billion => 1e9, trillion => 1e12, 万 => 1e4, 亿 => 1e8,
    万亿 => 1e12, K => 1e3, M => 1e6, G => 1e9, Ki => 2**10, Mi => 2**20, Gi => 2**30);
my %BYTES = (B => 1, KB => 1e3, kB => 1e3, MB => 1e6, GB => 1e9, TB => 1e12, KiB => 2**10, MiB => 2**20,
    GiB => 2**30, TiB => 2**40);
my %OPERATIONS = (M => 1e6, G => 1e9, T => 1e12);
my %UNITS = (ns => 1e-9, us => 1e-6, µs => 1e-6, ms => 1e-3, s => 1, min => 60, W => 1,
    kHz => 1e3, MHz => 1e6, GHz => 1e9, %BYTES, (map { ("$_/s", $BYTES{$_}) } keys %BYTES),
    map { ("${_}FLOP/s", $OPERATIONS{$_}, "${_}Flop/s", $OPERATIONS{$_}) } keys %OPERATIONS);
my %WORDS = ('two thirds' => 2 / 3, 'three quarters' => 3 / 4, half => 1 / 2, third => 1 / 3,
    quarter => 1 / 4, fifth => 1 / 5, eighth => 1 / 8, tenth => 1 / 10, twentieth => 1 / 20, one => 1,
    once => 1, two => 2, twice => 2, three => 3, four => 4, five => 5, six => 6, seven => 7, eight => 8,
    nine => 9, ten => 10, eleven => 11, twelve => 12, sixteen => 16, twenty => 20, thirty => 30,
    hundred => 100, thousand => 1000);

my ($mend, $tests, %source, %used); # asked for; the names of tests, of sources, of those that are used
my ($page, $twin, @claims, %tested, %lacks, %kinds, %has, %wanted, %mended, @edits); # of the page at hand
my (@faults, %pages, %texts, %total);

sub fault { my ($where, $what) = @_; push @faults, "$where: $what" }

# What a file holds, or with the mode "-|" what a command prints; "" where there is none.
sub text_of
{
    my ($mode, $name) = @_;
    my $text = \$texts{$mode, $name};
    if (!defined $$text && open my $file, "$mode:utf8", $name) {
        local $/;
        $$text = <$file>;
    }
    return $$text // '';
}

sub lines_of { my ($name) = @_; return split /\n/, text_of('<', $name) }

# --- Numbers -----------------------------------------------------------------------------------

# The text with every character of a name made another, so that no digit in it counts and every place
# stays.
sub mask
{
    my ($text) = @_;
    for my $name ($text =~ /[0-9]/ ? @NAMES : ()) {
        $text =~ s/$name/"\3" x length $1/ge;
    }
    return $text;
}

# What the words at the beginning of a text, behind a number, multiply it by: magnitude (million, K), the
# unit's factor, and its name, "" where there is none.
sub unit_of
{
    my ($tail) = @_;
    my ($magnitude, $name) = (1, '');
    return ($MAGNITUDES{$1}, 1, $1) if $tail =~ /^ ?([KMG]i?)(?![A-Za-z])/;
    ($magnitude, $name) = ($MAGNITUDES{$1}, 'many')
        if $tail =~ s/^ ?(thousand|million|billion|trillion|万亿|亿|万)//;
    $tail =~ s/^ //;
    return ($magnitude, 1, $1 eq '%' ? '%' : 'times')
        if $tail !~ /^× *[0-9A-Za-z(`]/ &&
        $tail =~ /^(%|×|x(?: ?[^A-Za-z0-9 ]| [^0-9]|$)|times(?![A-Za-z])|倍)/;
    return ($magnitude, $UNITS{$1}, $1) if $tail =~ m{^([A-Za-zµ]+(?:/s)?)} && $UNITS{$1};
    return ($magnitude, 1, $name);
}

# The numbers of a text, each with its place (at, end), its digits as written, its value in its unit, what
# that unit and its magnitude multiply by (factor, scale), how far off a value may be that is rounded to it,
# and whether it is a single digit without a unit.
sub numbers
{
    my ($text) = @_;
    my @numbers;
    while ($text =~ /($NUMBER)(?:e-([0-9]+))?($SUPERSCRIPT+)?/g) {
        my ($at, $end, $exponent, $power) = ($-[0], $+[0], $2, $3);
        (my $written = $1) =~ tr/ //d;
        my $value = $written;
        $value **= $power =~ tr/⁰¹²³⁴-⁹/0-9/r if defined $power;
        my ($scale, $factor, $unit) = unit_of(substr $text, $end);
        $scale *= 10**-$exponent if defined $exponent;
        next if $at && substr($text, $at - 1, 1) =~ /[A-Za-z_#]/;
        push @numbers, {at => $at, end => $end, said => substr($text, $at, $end - $at), written => $written,
            value => $value * $scale, factor => $factor, scale => $scale, unit => $unit,
            tolerance => defined $power ? 0 : tolerance($written) * $scale, exact => defined $power,
            single => length $written == 1 && !defined $power && !defined $exponent && $unit eq ''};
    }
    return @numbers;
}

# How far a value may be off that is rounded to these digits.
sub tolerance
{
    my ($digits) = @_;
    return 0.5001 * 10**-length $1 if $digits =~ /\.(.*)/;
    my ($zeros) = $digits =~ /^.+?(0*)$/;
    my $worth = 0.5001 * 10**length $zeros;
    return $worth if $zeros eq '';
    return min($worth, max(0.5001, (length $digits < 5 ? 0.02 : 0.005) * $digits));
}

# Is the value v this number, in its unit or without, as exactly as the text before it says?
sub agrees
{
    my ($number, $before, $v, $slack) = @_;
    my ($value, $tolerance, $factor, $scale) = @$number{qw(value tolerance factor scale)};
    return any { agrees_in($value * $_, $tolerance * $_, $before, $v, $slack) } 1, $factor, 1 / $scale;
}

# Is v a value within a tolerance, wider by its share `slack`, and by what the words before it allow?
sub agrees_in
{
    my ($value, $tolerance, $before, $v, $slack) = @_;
    $tolerance += ($slack // 1e-9) * $value;
    return 1 if abs($v - $value) <= $tolerance;
    return abs($v - $value) <= 0.1 * $value + $tolerance
        if $before =~ /(?:$ABOUT|some|around|hardly|approximately|close to) (?:a |an |the )?$/;
    return $v >= $value && $v <= 2 * $value
        if $before =~ /(?:[Mm]ore than|[Oo]ver|above|at least|[Gg]ood|exceeds) $/;
    return $v <= $value && $v >= 0
        if $before =~ /(?:[Ll]ess than|[Uu]nder|below|at most|up to|[Ff]ewer than|within) $/;
    return 0;
}

# May a number of the text stand without a source?
sub is_exempt
{
    my ($number, $text) = @_;
    my ($before, $after) = (lc substr($text, 0, $number->{at}), substr $text, $number->{end});
    return 1 if $number->{single} || $number->{exact};
    return 1 if $number->{value} == 32 &&
        ($before =~ /warps? of $/ || $after =~ /^ \[?(?:lanes|threads of a warp|banks)/);
    # Which one, not how many.
    my $one = 'thread|lane|row|column|line|round|bit|byte|element|word|offset';
    return $before =~ /(?:$one|warp|block|bank|code|status|sm|number) $/ ||
        $before =~ /(?:$one)s (?:[0-9]+ (?:to|and) )?$/;
}

# A value as a key of a table: those of two pages may differ in their last bits.
sub key { my ($value) = @_; return $value == int $value ? $value : sprintf '%.6g', $value }

# --- Pages -------------------------------------------------------------------------------------

# A page: its lines of prose with their sections, its sections (an anchor beside another is its alias), the
# cells of its tables, what its sessions show. Read once.
sub read_page
{
    my ($file) = @_;
    return $pages{$file} if $pages{$file};
    my ($code, $made, $table, $part, $section, $number, $last, $head) = (0, 0, '', '', 'top', 0, 0, undef);
    my %read = (file => $file, sections => {top => 1}, lines => []);
    for my $line (lines_of($file)) {
        $number++;
        if ($line =~ /^ *```/) { $code = !$code; next }
        if ($code) { push @{$read{shown}}, $line; next }
        next if $line =~ /^<!-- change: /;
        if ($line =~ m{^<!-- /}) { $made = 0; next }
        if ($line =~ /^<!-- (?:tour: [a-z0-9]+ on )?([a-z_]+)(?:[: ].*)?-->$/) {
            ($made, $table) = (1, $1);
            next;
        }
        if ($line =~ m{^<a id="([^"]*)"></a>}) {
            $read{alias}{$section} = $1 if $last == $number - 1;
            ($section, $last) = ($1, $number);
            $read{sections}{$section} = 1;
            next;
        }
        $part = $1 if $made && $line =~ /^#### ([^_]*)/;
        $part = '' if $line =~ /^<!-- |^## /;
        $head = $line =~ /^\|/ ? read_row(\%read, $made ? $table : 'table', $part, $head, $line) : undef;
        next if $made || $line =~ /^#|^$|^\[(?:中文|English)\]|^\|[-:|]*$/;
        push @{$read{lines}}, {text => $line, file => $file, number => $number, section => $section};
    }
    return $pages{$file} = \%read;
}

# Takes the cells of a table's row. In a block with several tables, each below a heading like
# "#### h02_bank_conflicts", a row is also h02/ROW. Returns the table's head, which is its first row.
sub read_row
{
    my ($read, $table, $part, $head, $line) = @_;
    return $head if $line =~ /^\|[-:|]*$/;
    $line =~ s/×/x/g;
    $line =~ s/\\_/_/g;
    my @cells = map { s/^[ *`]+|[ *`]+$//gr } (split /\|/, $line)[1 .. ($line =~ tr/|//) - 1];
    return \@cells if !$head;
    my @columns = map { [$head->[$_], $cells[$_]] } 1 .. min($#cells, $#$head);
    for my $row ($cells[0], $part eq '' ? () : "$part/$cells[0]") {
        push @{$read->{tables}{$table}}, {row => $row, columns => \@columns};
    }
    return $head;
}

# --- Sources -----------------------------------------------------------------------------------

# The value of an expression. Dies of what is wrong with it.
sub evaluate
{
    my ($text) = @_;
    $text =~ s/\[([^]]*)\]|\{([^}]*)\}/sprintf '%.17g', defined $1 ? cell($1) : constant($2)/ge;
    $text =~ s/($SUPERSCRIPT+)/'^' . $1 =~ tr{⁰¹²³⁴-⁹}{0-9}r/ge;
    $text =~ tr/×·−/**-/;
    $text =~ s/(?<=[0-9]) (?=[0-9]{3})//g;
    die "a ( without )\n" if $text =~ tr/(// != $text =~ tr/)//;
    die "cannot read \"$text\"\n"
        if $text !~ m{^(?:[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|[-+*/^(), ]|min|max|floor|ceil|log2|sqrt)+$};
    (my $perl = $text) =~ s/\^/**/g;
    $perl =~ s/(?<![0-9.])0+(?=[0-9])//g; # which would be octal
    no warnings;
    return eval($perl) // die 'cannot read "' . $text . "\"\n";
}

sub log2 { my ($value) = @_; return log($value) / log 2 }

# What stands in "TABLE ROW COLUMN": a cell of a table of this page, or with PAGE/TABLE of another.
sub cell_text
{
    my ($reference) = @_;
    my ($table, $quoted, $row, $column) = $reference =~ /^([^ ]+) (?:"([^"]*)"|([^ ]+)) (.*)$/
        or die "cannot read \"[$reference]\"\n";
    my $of = $page;
    $row = $quoted if defined $quoted;
    if ($table =~ s{^([^/]*)/}{}) {
        $of = $1 eq 'README' ? 'README.md' : "docs/$1.md";
        die "no page $of\n" if !-e $of;
    }
    my ($beside) = map { s{^(?:docs/)?}{docs/claims/}r } $of;
    my $rows = (first { $_ } map { read_page($_)->{tables}{$table} } $of, $beside) // [];
    my $found = first { $_->{row} =~ /^\Q$row\E(?:[_ ]|$)/ } @$rows;
    die "table $table has no row $row\n" if !$found;
    my @columns = map { @{$_->{columns}} } grep { $_->{row} eq $found->{row} } @$rows;
    my $there = (first { $_->[0] eq $column } @columns) // first { index($_->[0], $column) == 0 } @columns;
    return $there->[1] // die "table $table has no column $column in row $found->{row}\n";
}

# The value of "TABLE ROW COLUMN [#k]".
sub cell
{
    my ($reference) = @_;
    my $k = $reference =~ s/ #([0-9]+)$// ? $1 : 1;
    my $number = (numbers(cell_text($reference)))[$k - 1];
    die "[$reference] has no number" . ($k > 1 ? " #$k" : '') . "\n" if !$number;
    return $number->{value} * $number->{factor};
}

# What a file holds, and behind it the description of the GPU that it says it is like.
sub description
{
    my ($file) = @_;
    my $text = text_of('<', $file);
    my ($like) = $text =~ /^like (\S+)/m;
    return defined $like ? $text . description($file =~ s/[^\/]*$/$like.txt/r) : $text;
}

# The value of "FILE: WORDS: NAME": the number that follows NAME, after WORDS, in a file of the repository.
sub constant
{
    my ($reference) = @_;
    my ($file, @words) = split /: */, $reference;
    my ($text, $name) = (description($file), pop @words);
    die "no file $file\n" if $text eq '';
    for my $word (@words) {
        $text =~ /\G.*?\Q$word\E/gcs or die "$file has no $word\n";
    }
    my $value = '[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?';
    $text =~ /\G.*?(?<![A-Za-z0-9_])\Q$name\E(?![A-Za-z0-9_])[^0-9\n]*($value)/gs
        or die "$file has no $name\n";
    return $1;
}

# Has a line of the text the words and all the numbers?
sub has_line
{
    my ($text, $words, $line, @wanted) = @_;
    for my $there (split /\n/, $text) {
        $there =~ s/ +/ /g;
        next if index($there, $words) < 0;
        my @values = map { ($_->{value} * $_->{factor}, $_->{value}) } numbers($there =~ tr/×/x/r);
        my $lacking = first {
            my $number = $_;
            !any { agrees($number, substr($line->{text}, 0, $number->{at}), $_) } @values
        } @wanted;
        return 1 if !$lacking;
    }
    return 0;
}

# Judges a source that is no expression, for these numbers of a line.
sub judge_kind
{
    my ($claim, $where, $source, $line, @numbers) = @_;
    my ($kind, $rest) = $source =~ /^(\w+) ?(.*)$/;
    my ($name) = $rest =~ /^([^ ,]*)/;
    $kinds{$kind} += @numbers || 1;
    if ($kind eq 'test') {
        fault($claim->{where}, "no test $name") if $tests && !$tests->{$name};
    } elsif ($kind eq 'from' || $kind eq 'measured') {
        $used{$name} = 1;
        fault($claim->{where}, "\"$name\" is not in docs/claims/sources.md")
            if !$source{$name} && !($kind eq 'measured' && -s $name);
    } elsif ($kind eq 'is') {
        my ($cell, $words) = $rest =~ /^\[([^]]*)\]: (.*)$/;
        my $text = eval { cell_text($cell // '') } // return fault($claim->{where}, $@ =~ s/\n//r);
        fault($where, "\"$claim->{fragment}\": [$cell] is \"$text\" and not \"$words\"") if $text ne $words;
    } elsif ($kind =~ /^(?:shown|in|run)$/) {
        my ($from, $words) = $kind eq 'shown' ? ('the sessions', $rest) : $rest =~ /^(.*?)(?:: (.*))?$/;
        my $text = $kind eq 'shown' ? join("\n", @{$pages{$page}{shown}})
            : text_of($kind eq 'run' ? '-|' : '<', $from);
        fault($where, (@numbers ? around($line, @numbers) : "\"$claim->{fragment}\"") .
            " stands in no line of $from with \"" . ($words // '') . '"')
            if !has_line($text, $words // '', $line, @numbers);
    }
}

# Judges a fragment at a place, with the numbers that it has there.
sub judge
{
    my ($claim, $where, $line, @numbers) = @_;
    my @sources = @{$claim->{sources}};
    return fault($claim->{where}, '# would cover any number: quote it')
        if $claim->{fragment} =~ /#/ && any { /^(?:from|measured|example)/ } @sources;
    my @counted = @sources == @numbers ? @numbers : grep { !$_->{exempt} } @numbers;
    my @shares = @sources == 1 && $sources[0] =~ $KINDS ? [@numbers] : map { [$_] } @counted;
    @shares = map { [] } @sources if !@numbers;
    return fault($where, "\"$claim->{fragment}\" has " . @numbers . " numbers, and $claim->{where} has " .
        @sources . ' sources') if @sources != @shares;
    for my $source (@sources) {
        my @share = @{shift @shares};
        if ($source =~ $KINDS) {
            judge_kind($claim, $where, $source, $line, @share);
        } elsif (@share) {
            judge_value($claim, $where, $source, $line, @share, @numbers);
        } else {
            judge_words($claim, $where, $source);
        }
    }
}

# What an expression is worth, its kind counted; undef, once that is said, where it cannot be worked out.
sub value_of
{
    my ($claim, $source) = @_;
    $kinds{$source =~ /\[/ ? 'table' : $source =~ /\{/ ? 'file' : 'arithmetic'}++;
    my $value = eval { evaluate($source) };
    fault($claim->{where}, $@ =~ s/\n//r) if !defined $value;
    return $value;
}

# Judges a number of a fragment by an expression. Without a unit it may have that of another number, as the
# second one has in "32.9 us against 26.2".
sub judge_value
{
    my ($claim, $where, $source, $line, $number, @beside) = @_;
    my $v = value_of($claim, $source) // return;
    my $slack = $source =~ m{\].*[-*/+]|[-*/+].*\[} ? 0.004 : 1e-9; # cells are rounded themselves
    my ($value, $tolerance, $unit) = @$number{qw(value tolerance unit)};
    my @units = $unit eq '' ? grep { $_->{unit} ne '' } @beside : ();
    return if agrees($number, substr($line->{text}, 0, $number->{at}), $v, $slack) ||
        any { agrees_in($value * $_->{factor}, $tolerance * $_->{factor}, '', $v, $slack) } @units;
    my $like = $units[0] // $number;
    my $factor = $like->{factor};
    $v /= $factor if $v / $factor > 0.01 * $value && $v / $factor < 100 * $value;
    $v /= $number->{scale};
    if ($mend && $source =~ /\[/) {
        my $new = as_written($number, $v);
        $mended{$line->{section}, key($value)} = $new;
        push @edits, [$line, $number, $new];
    } else {
        fault($where, around($line, $number) . ' should be ' . sprintf('%.5g', $v) .
            ($unit =~ /^(?:|times|many)$/ ? '' : " $unit") . ": $source");
    }
}

# Judges a fragment without a digit by its number words: twice or three or half.
sub judge_words
{
    my ($claim, $where, $source) = @_;
    my $v = value_of($claim, $source) // return;
    my $text = lc $claim->{fragment} =~ tr/-/ /r;
    my ($bound) = $text =~ /((?:$ABOUT|more than|over|at least|less than|at most|under) )/;
    my $names = join '|', sort { length $b <=> length $a } keys %WORDS;
    my @found = map { $WORDS{$_} } $text =~ /(?<![a-z_])($names)(?![a-z_])/g;
    return if any { agrees_in($_, 0.1 * $_, $bound // '', $v) } @found;
    return fault($claim->{where}, "\"$claim->{fragment}\" holds no number") if !@found;
    fault($where, "\"$claim->{fragment}\" should be " . sprintf('%.6g', $v) . ": $source");
}

# A value with as many digits as the number is written with, and with its spaces.
sub as_written
{
    my ($number, $v) = @_;
    my $digits = $number->{written};
    return sprintf '%.' . length($1) . 'f', $v if $digits =~ /\.(.*)/;
    my $zeros = length +($digits =~ /^.+?(0*)$/)[0];
    my $out;
    do {
        $out = int($v / 10**$zeros + 0.5) * 10**$zeros;
    } while ($zeros-- > 0 && abs($out - $v) >= 0.02 * $v);
    $out =~ s/(?<=[0-9])(?=(?:[0-9]{3})+$)/ /g if $number->{said} =~ / /;
    return $out;
}

# A number, the first of those given, with some words around it.
sub around
{
    my ($line, $number) = @_;
    my $from = max(0, $number->{at} - 24);
    my $words = substr $line->{text}, $from, $number->{end} + 24 - $from;
    return "the number $number->{said} in \"$words\"";
}

# --- Claims ------------------------------------------------------------------------------------

sub read_claims
{
    my ($file) = @_;
    my $read = $pages{$page};
    my ($code, $section, $number) = (0, '', 0);
    (@claims, %tested, %lacks) = ();
    for my $line (lines_of($file)) {
        my $where = "$file:" . ++$number;
        if ($line =~ /^```/) { $code = !$code; next }
        if ($code) { push @{$read->{shown}}, $line; next }
        last if $line eq '## emulated';
        if ($line =~ /^## (.*)/) {
            $section = $1;
            fault($where, "the page has no anchor $section")
                if $section ne 'everywhere' && !$read->{sections}{$section};
            $section = $read->{alias}{$section} while $read->{alias}{$section};
        } elsif ($line =~ /^- table <- ((?:test|example|measured|from).*)/) {
            $tested{$section} = 1;
            judge_kind({where => $where}, $where, $1);
        } elsif ($line =~ /^- zh lacks (.*)/) {
            $lacks{$section, key($_)} = 1 for split /, */, $1;
        } elsif ($section ne '' && $line =~ /^- (zh: )?(.*?) <- (.*)/) {
            push @claims, {where => $where, section => $section, in => $1 ? 'zh' : 'en', fragment => $2,
                sources => [split / *; */, $3], finds => finder($2)};
        } elsif ($line =~ /^- /) {
            fault($where, 'not a claim of a section: - FRAGMENT <- SOURCE');
        }
    }
}

# What finds a fragment in a text, as whole words; # is a number.
sub finder
{
    my ($fragment) = @_;
    my $text = join "($NUMBER(?:e-[0-9]+)?$SUPERSCRIPT*)", map { quotemeta } split /#/, $fragment, -1;
    my $before = $fragment =~ /^#/ ? '' : $fragment =~ /^[0-9]/ ? '(?<![\w.])' : '(?<!\w)';
    my $after = $fragment =~ /#$/ ? '' : $fragment =~ /[0-9]$/ ? '(?!\w|\.[0-9])' : '(?!\w)';
    return qr/$before$text$after/a;
}

# Finds the fragments of the claims on a line, judges those of its language, and marks the numbers that
# they cover.
sub match_line
{
    my ($in, $where, $line, @numbers) = @_;
    my $text = $line->{text};
    for my $claim (@claims) {
        my $everywhere = $claim->{section} eq 'everywhere';
        next if !$everywhere && $claim->{section} ne $line->{section};
        while ($text =~ /$claim->{finds}/g) {
            my ($from, $to, @holes) = ($-[0], $+[0], @-[1 .. $#-]);
            next if any { my $at = $_; !any { $_->{at} == $at } @numbers } @holes;
            my @within = grep { $_->{at} >= $from && $_->{end} <= $to } @numbers;
            next if !@within && mask($claim->{fragment}) =~ /[0-9]/;
            if ($claim->{in} eq $in) {
                $claim->{hits}++;
                judge($claim, $where, $line, @within);
                $_->{claimed} = 1 for @within;
            }
            for my $number (@within) {
                $number->{covered} = 1;
                $number->{everywhere} ||= $everywhere;
            }
        }
    }
}

# Sums that a page spells out, as in 8 + 36 + 1 = 45 or 2047 = 23 * 89, are checked by themselves: their
# numbers are covered.
sub match_sums
{
    my ($where, $line, $masked, @numbers) = @_;
    my ($sign, $end) = ('[-0-9 .()*/+⁰¹²³⁴-⁹]', '[0-9)⁰¹²³⁴-⁹]');
    my $operation = qr{[0-9).⁰¹²³⁴-⁹] *[-*/+] *[(0-9]|[0-9]$SUPERSCRIPT};
    $masked =~ tr/×·−/**-/;
    $masked =~ s/ x / * /g;
    while ($masked =~ m{((?=[0-9(])$sign*?)( *)=(?= *($sign*$end))}g) {
        my ($left, $right, $from, $before, $after, $to) = ($1, $3, $-[1], $+[1], $-[3], $+[3]);
        my $sum = $left =~ $operation ? $left : $right;
        my $number = first { $sum eq $left ? $_->{at} == $after : $_->{end} == $before } @numbers or next;
        next if $sum !~ $operation;
        my $v = eval { evaluate($sum) } // next;
        if ($sum eq $left && $right =~ $operation) { # a = b + c = d: compare with d
            next if (eval { evaluate($right) } // next) != $v;
        } elsif (!agrees($number, substr($line->{text}, 0, $number->{at}), $v)) {
            fault($where, around($line, $number) . ' should be ' . sprintf('%.6g', $v) . ": $sum");
            next;
        }
        $kinds{arithmetic}++;
        $_->{covered} = 1 for grep { $_->{at} >= $from && $_->{at} <= $to } @numbers;
    }
}

# What is wrong with a line once the claims are matched: on the English page numbers without a source, on
# the Chinese one numbers that the English page has not.
sub report
{
    my ($in, $where, $line, @numbers) = @_;
    my $section = $line->{section};
    for my $number (@numbers) {
        my $key = key($number->{value});
        my $what = around($line, $number);
        $has{$in, $section, $key} = 1;
        if ($in eq 'en') {
            fault($where, "$what has no source") if !$number->{exempt} && !$number->{covered};
            $wanted{$section, $key} = [$section, $number->{value}] if !$number->{exempt};
            $has{en => everywhere => $key} = 1 if $number->{everywhere};
            next;
        }
        next if $number->{exempt};
        push @edits, [$line, $number, $mended{$section, $key}]
            if defined $mended{$section, $key} && !$number->{claimed};
        fault($where, "$what is not in $page, section $section")
            if !$number->{covered} && !$has{en => $section, $key} && !$has{en => everywhere => $key};
    }
}

sub check_language
{
    my ($in, $file) = @_;
    for my $line (@{read_page($file)->{lines}}) {
        my $where = "$file:$line->{number}";
        # Those of names and code stand there too, for the other language.
        $has{$in, $line->{section}, key($_->{value})} = 1 for numbers($line->{text});
        my $masked = mask($line->{text});
        my @numbers = numbers($masked);
        $_->{exempt} = is_exempt($_, $line->{text}) for @numbers;
        match_sums($where, $line, $masked, @numbers);
        match_line($in, $where, $line, @numbers);
        $_->{covered} ||= $line->{text} =~ /^\|/ && $tested{$line->{section}} for @numbers;
        report($in, $where, $line, @numbers);
    }
    for my $claim (grep { !$_->{hits} && $_->{in} eq $in } @claims) {
        my $section = $claim->{section} eq 'everywhere' ? '' : ", section $claim->{section},";
        fault($claim->{where}, "stale: $file$section does not say \"$claim->{fragment}\"");
    }
}

sub check_page
{
    my ($claims) = @_;
    my $before = @faults;
    (%kinds, %has, %wanted, %mended) = ();
    read_page($page);
    read_claims($claims);
    check_language(en => $page);
    if (-f $twin) {
        check_language(zh => $twin);
        for my $key (sort keys %wanted) {
            my ($section, $value) = @{$wanted{$key}};
            fault($twin, "section $section lacks the number " . key($value) . " of $page")
                if $value >= 10 && !$has{"zh$;$key"} && !$lacks{$key};
        }
    }
    return if @faults > $before;
    print "$page: ", join(', ', map { "$kinds{$_} $_" } sort keys %kinds), "\n";
    $total{$_} += $kinds{$_} for keys %kinds;
}

# Writes the new numbers into the pages, from the end of each line to its beginning.
sub write_edits
{
    my (%lines, %mended);
    for my $edit (sort { $b->[1]{at} <=> $a->[1]{at} } @edits) {
        my ($line, $old, $new) = @$edit;
        my $lines = $lines{$line->{file}} //= [lines_of($line->{file})];
        substr($lines->[$line->{number} - 1], $old->{at}, length $old->{said}) = $new if !$old->{mended}++;
        $mended{"$line->{file}:$line->{number}: mended\n"} = 1;
    }
    print STDERR sort keys %mended;
    for my $file (sort keys %lines) {
        open my $out, '>:utf8', $file or die "numbers.pl: cannot write $file: $!\n";
        print $out map { "$_\n" } @{$lines{$file}};
        close $out or die "numbers.pl: cannot write $file: $!\n";
    }
}

$mend = @ARGV && $ARGV[0] eq '--mend' && shift @ARGV;
if (@ARGV != 1 && @ARGV != 3) {
    print STDERR "usage: numbers.pl [--mend] ROOT [CTEST BUILD]\n";
    exit 2;
}
binmode $_, ':utf8' for *STDOUT, *STDERR;
my ($root, $ctest, $build) = @ARGV;
if ($ctest) {
    open my $said, '-|', $ctest, '--test-dir', $build, '-N' or die "numbers.pl: cannot run $ctest: $!\n";
    $tests = {map { /^ *Test *#[0-9]*: (.*)/ ? ($1 => 1) : () } <$said>};
    die "numbers.pl: no tests in $build\n" if !%$tests;
}
chdir $root or die "numbers.pl: cannot enter $root: $!\n";
%source = map { /^- ([a-z0-9_]+):/ ? ($1 => 1) : () } lines_of('docs/claims/sources.md');
for (glob 'README.md CONTRIBUTING.md docs/*.md') {
    $page = $_;
    my ($name) = $page =~ m{([^/]*)\.md$};
    $twin = "docs/zh/$name.md";
    if (-f "docs/claims/$name.md") {
        check_page("docs/claims/$name.md");
    } else {
        push @faults, "$page: no docs/claims/$name.md says where its numbers come from";
    }
}
for (glob 'docs/claims/*.md') {
    my ($name) = m{([^/]*)\.md$};
    push @faults, "$_: no such page" if $name ne 'sources' && !-f "docs/$name.md" && !-f "$name.md";
}
push @faults, map { "docs/claims/sources.md: no claim names $_" } grep { !$used{$_} } sort keys %source;
print 'in all ', sum0(values %total), ': ', join(' ', map { "$total{$_} $_" } sort keys %total), "\n";
write_edits();
print STDERR map { "$_\n" } @faults;
exit(@faults ? 1 : 0);
