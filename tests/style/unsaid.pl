#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# unsaid.pl CHECKOUT TABLE: each message of base/messages.def is one that something still says: its
# longest run of words between what is put in stands in a string of our sources. TABLE has those that
# the system says, or that are put together of more strings, a line each. Names each other one, and
# each line of the table that is no such message any more.
use strict;
use warnings;
use File::Find;

my ($checkout, $table) = @ARGV;

sub content
{
    my $path = shift;
    open my $file, '<', $path or die "$path: $!\n";
    local $/;
    return <$file>;
}

# Neighbouring strings joined, and with their escapes taken for what they stand for.
sub plain
{
    return $_[0] =~ s/\\\n//gr =~ s/" PRI\w+ "/u/gr =~ s/"\s+"//gr =~ s/\\"/"/gr =~ s/%%/%/gr;
}

my $said = content("$checkout/tour");
my @folders = grep { !/\/(build|docs|tests|my|site)$/ } grep { -d } glob "'$checkout'/*";
find(
    sub { $said .= plain(content($_)) if -f && /\.([ch]|def|cuh?)$|^new$/ && !/^(messages|words)\.def$/ },
    @folders
);
my %excused = map { $_ => 1 } grep { !/^(#|$)/ } split /\n/, content($table);
my $messages = content("$checkout/base/messages.def") =~ s/"\s*\n\s*"//gr;
my $wrong = 0;
while ($messages =~ /^M\("((?:[^"\\]|\\.)*)"/mg) {
    my $message = $1 =~ s/\\"/"/gr;
    my ($longest) = sort { length $b <=> length $a }
        map { s/^[ -]+|[ -]+$//gr } split /\{[1-9]\}|[^A-Za-z' -]+/, $message;
    next if index($said, $longest // '') >= 0 || delete $excused{$message};
    print "nothing says: $message\n";
    $wrong = 1;
}
for my $message (sort keys %excused) {
    print "is in the table, and is said, or is no message: $message\n";
    $wrong = 1;
}
exit $wrong;
