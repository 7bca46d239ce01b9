#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# lessons.pl CHECKOUT: each step shows its own lesson.
#
# What "Now:" in a step's head names as code, `name` or name(), stands in the step's code, and one of
# these names is defined there: a function, a type, a constant, a variable, not only a use of what a
# header has. Where more than 60 % of a step's lines of code are not in the step before it, nor in one
# that "Before:" names, its first line says "A new beginning." or "A program rather than a step.";
# elsewhere it does not. The libraries' rows are left out, and chapters of experiments, in which no step
# has a "Now:". Names each fault.
use strict;
use warnings;
use File::Temp 'tempdir';

chdir $ARGV[0] or die "$ARGV[0]: $!\n";
my $scratch = tempdir(CLEANUP => 1);
my $faults = 0;

sub fault
{
    print "$_[0]\n";
    $faults = 1;
}

sub content
{
    my $path = shift;
    open my $file, '<', $path or die "$path: $!\n";
    local $/;
    return <$file>;
}

# A source without comments and texts, and without lines that are empty then.
sub code
{
    my $text = shift;
    $text =~ s{("(?:[^"\\]|\\.)*")|/\*.*?\*/|//[^\n]*}{$1 ? '""' : ''}gse;
    return join '', grep { /[^ \t\n]/ } $text =~ /[^\n]*\n/g;
}

# What a source's head comment says behind "LABEL:".
sub head_of
{
    my ($text, $label) = @_;
    my ($head) = $text =~ m{^(.*?)\*/}s;
    return $head =~ /^ \* $label:(.*?)(?=^ \* [A-Z][a-z]*:|\z)/ms ? $1 =~ s/^ \*//gmr : '';
}

# Is the name defined in this code?
sub defined_in
{
    my ($name, $all) = @_;
    my $word = qr/(?:^|[^A-Za-z0-9_])/;
    my $last = qr/(?:[^A-Za-z0-9_]|$)/;
    $all =~ s/(?:return|else|goto|case|sizeof|throw|new|delete)[ \n]+/(/g;
    return $all =~ /#define $name$last/
        || $all =~ /$word(?:struct|union|enum|class|namespace|using)[ \n][^;(){}]*$word$name[ \n]*[{=:]/
        || $all =~ /${word}struct __align__\([0-9]+\)[ \n]+$name[ \n]*\{/
        || $all =~ /${word}enum[^;{}()]*\{(?:[^}]*[^A-Za-z0-9_}])?$name[ \n]*[,=}]/
        || $all =~ /${word}typedef [^;]*[^A-Za-z0-9_;]$name[[(;]/
        || $all =~ /[A-Za-z0-9_>)][ \n]+[*&]*$name[ \n]*\([^;{}]*\)[ \n]*(?:const)?[ \n]*\{/
        || $all =~ /[;{}][ \n]*(?:[A-Za-z0-9_]+ )+[*&]*[A-Za-z0-9_]+[^;{}()]*,[ \n]*[*&]*$name[ \n]*[=;,[]/
        || $all =~ /[A-Za-z0-9_>][ \n]+[*&(]*$name\)?[ \n]*(?:=[^=]|;|\[)/;
}

# What "Now:" names of the file's code.
sub check_names
{
    my ($file, $now, $code) = @_;
    my %names = map { tr/`()//dr => 1 } $now =~ /`[A-Za-z_][A-Za-z0-9_]*`|[A-Za-z_][A-Za-z0-9_]*\(\)/g;
    for (grep { $code !~ /\b$_\b/ } sort keys %names) {
        fault("$file: \"Now:\" names $_, which its code has not");
    }
    if (!%names) {
        fault("$file: \"Now:\" names nothing of its code, as in `name` or name()");
    } elsif (!grep { $code =~ /\b$_\b/ && defined_in($_, $code) } keys %names) {
        fault("$file: \"Now:\" names nothing that this file defines");
    }
}

# How many lines of a step are not in the other.
sub new_lines
{
    my ($step, $other) = @_;
    return scalar grep { /^>/ } `diff '$scratch/$other' '$scratch/$step'`;
}

# What it changes: of these steps the one that it has most of.
sub check_distance
{
    my ($file, $step, $text, $all, @before) = @_;
    my ($new, $of) = (999);
    for my $other (grep { $_ ne $step && -e "$scratch/$_" } @before) {
        my $lines = new_lines($step, $other);
        ($new, $of) = ($lines, $other) if $lines < $new;
    }
    my $said = $text =~ /\A[^\n]*\. A (?:new beginning|program rather than a step)\.$/m;
    return if !$of;
    if ($new * 100 > $all * 60 && !$said) {
        fault("$file: $new of its $all lines are not in $of: two steps, or \"A new beginning.\"");
    } elsif ($new * 100 <= $all * 60 && $said) {
        fault("$file: only $new of its $all lines are not in $of: no new beginning");
    }
}

my %steps; # by chapter
for my $list (glob '*/CMakeLists.txt') {
    my $text = content($list);
    push @{$steps{$1}}, $2 while $text =~ /^ *add_step\(([a-z0-9_]*) (?!library_)([a-z0-9_]*)/gm;
}
for my $chapter (sort keys %steps) {
    my $before = '';
    for my $step (@{$steps{$chapter}}) {
        my $file = "$chapter/$step.cu";
        my $text = content($file);
        my $now = head_of($text, 'Now');
        if (!$now) {
            fault("$file: no \"Now:\"") if grep { content($_) =~ /^ \* Now:/m } glob "$chapter/*.cu";
            next;
        }
        my $code = code($text);
        open my $kept, '>', "$scratch/$step" or die "$scratch/$step: $!\n";
        print $kept $code;
        close $kept;
        check_names($file, $now, $code);
        my @named = head_of($text, 'Before') =~ /\b([a-z]+[0-9]+[a-z]?)\b/g;
        check_distance($file, $step, $text, $code =~ tr/\n//, $before,
            map { my $number = $_; grep { /^${number}_/ } @{$steps{$chapter}} } @named);
        $before = $step;
    }
}
exit $faults;
