//! Callables of the user's own: what the configuration says of calls of which nothing else is known.

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{Args, Host};
use crate::value::decimal::repr_float;
use crate::value::float::Float;
use crate::value::object::{Sym, V};

use super::machine::Machine;

/// A callable that the configuration describes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnCallable {
    /// The qualified name.
    pub name: String,
    /// The facts that calls of it are.
    pub kind: FactKind,
    /// Whether a call without the argument that decides is one such fact, rather than nothing.
    pub unbounded: bool,
    /// Whether the argument that decides has the seconds it takes.
    pub seconds: bool,
    /// The position of the argument that decides, from 0.
    pub argument: Option<u16>,
    /// Its keyword.
    pub keyword: Option<String>,
}

impl Machine<'_> {
    /// Reports what is known of a call by the configuration, if anything.
    pub fn own_callable(&mut self, name: Sym, args: &Args) {
        let settings = self.settings;
        if settings.callables.is_empty() {
            return;
        }
        let text = name.text();
        for own in settings.callables.iter().filter(|own| *own.name == *text) {
            let given = own.argument.and_then(|at| args.pos.get(at as usize)).or_else(|| args.keyword(own.keyword.as_deref()?));
            match given {
                // What is not seen may be there.
                None if args.open => {}
                None | Some(V::None) if own.unbounded => {
                    let proof = self.proof();
                    self.report(own.kind, None, None, proof, &[("callee", own.name.clone()), ("expression", format!("{}()", own.name))]);
                }
                None => {}
                Some(value) if own.seconds => self.takes_seconds(own, &value.clone()),
                Some(_) => {}
            }
        }
    }

    /// A call takes as many seconds as an argument says.
    fn takes_seconds(&mut self, own: &OwnCallable, value: &V) {
        let float = match value {
            V::Float(f) => Float::exact(*f),
            V::Floats(range) => range.0,
            _ => {
                let Some(int) = value.as_int() else { return };
                let low = int.lower().map_or(f64::NEG_INFINITY, |n| n as f64);
                Float::range(low, int.upper().map_or(f64::INFINITY, |n| n as f64))
            }
        };
        // What comes of no number, and of less than nothing, is not known.
        if float.nan || float.is_nan() || float.low <= 0.0 {
            return;
        }
        if own.kind == FactKind::Sleep {
            Host::sleep(self, float.low, float.high, &own.name);
            return;
        }
        let measure = Measure { unit: Unit::Seconds, low: float.low, high: float.high };
        let words = [("callee", own.name.clone()), ("expression", format!("{}({})", own.name, repr_float(float.low)))];
        self.report(own.kind, None, Some(measure), Proof::Likely, &words);
    }
}
