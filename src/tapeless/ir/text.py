"""The text form of programs: `parse_function(print_function(f)) == f`, exactly.

    def energy(x: f64[n], k: f64) {
      m.1: i64 = sub n 1
      e.2: f64 = reduce m.1 [0.0] (a.3: f64, b.4: f64) {
        s.5: f64 = add a.3 b.4
        return s.5
      } (i.6: i64) {
        j.7: i64 = add i.6 1
        ...
        return t.9
      }
      return e.2
    }

    function  ::= 'def' name '(' vars ')' ['donates' (param '->' result),+] block
    block     ::= '{' statement* 'return' atom* '}'
    statement ::= vars '=' expression ['@' line ':' column]   |   'check' kind atom* [string]
    lambda    ::= '(' vars ')' block
    expression ::= op ['[' attribute,* ']'] atom*
                 | 'if' atom block 'else' block
                 | 'for' count [init*] lambda        | 'while' [init*] lambda lambda
                 | 'map' size lambda                 | 'reduce' size [neutral*] lambda lambda
                 | 'scan' size [neutral*] lambda lambda
                 | 'hist' keys size [neutral*] [dest*] lambda lambda
                 | 'scatter' keys size dest lambda

Literals tell their type: `3` i64, `3i32`, `3.0` f64, `3.0f32`, `True`, `+inf`, `-inf`, `+nan`. The size variables
of the parameters are those which their types mention. A newline ends a statement.
"""

from .text_parse import parse_function
from .text_print import print_function, print_statement

__all__ = ["parse_function", "print_function", "print_statement"]
