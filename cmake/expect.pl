#!/usr/bin/perl -w
# SPDX-License-Identifier: MIT
# Run a program and hold its exit code and its output against what is expected of it.
#
#   expect.pl exit=2 [stdout=REGEX] [stderr=REGEX] [one_line=ON] -- program [argument...]
#
# one_line: stderr is one line, no more and no less. A program that exits with 77 where that was not
# asked for makes this exit with 77, too. In the regular expressions `.` is any character, also the
# end of a line, ^ and $ are the ends of all that is printed, and braces are braces.
use strict; # and -w: to load the module for warnings takes half as long as all of perl

my %due;
while (defined(my $word = shift)) {
    last if $word eq '--';
    my ($name, $value) = split /=/, $word, 2;
    $due{$name} = $value;
}

my %said;
for my $stream ('stdout', 'stderr') {
    open $said{$stream}, '+>', undef or die "expect: a temporary file: $!\n";
}
my $child = fork // die "expect: fork: $!\n";
if (!$child) {
    open STDOUT, '>&', $said{stdout} and open STDERR, '>&', $said{stderr} or die "expect: $!\n";
    $^W = 0; # what cannot run is said below
    exec { $ARGV[0] } @ARGV or print STDERR "expect: $ARGV[0]: $!\n";
    exit 126;
}
waitpid $child, 0;
my $code = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
exit 77 if $code eq '77' && $due{exit} ne '77';

for my $file (values %said) {
    local $/;
    seek $file, 0, 0;
    $file = <$file> // '';
}
my @wrong;
push @wrong, "exit code $code, expected $due{exit}" if $code ne $due{exit};
for my $stream ('stdout', 'stderr') {
    next if !defined $due{$stream};
    my $regex = $due{$stream} =~ s/(?<!\\)([{}])/\\$1/gr =~ s/(?<!\\)\$(?=\)|\||$)/\\z/gr;
    push @wrong, "$stream does not match '$due{$stream}'" if $said{$stream} !~ /$regex/s;
}
push @wrong, 'stderr is not one line' if $due{one_line} && $said{stderr} !~ /^[^\n]+\n\z/;
if (@wrong) {
    print STDERR join("\n", "@ARGV", @wrong), "\n--- stdout\n$said{stdout}--- stderr\n$said{stderr}---\n";
    exit 1;
}
