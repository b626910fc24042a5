//! The worker's Python: its sources, and what the build compiled of them.

use std::fmt::Write;

use serde_json::json;

use super::wire::frame;

/// What the interpreter is started with: says which bytecode it reads, and runs what it is given. A cold interpreter takes
/// five milliseconds to compile what is longer than this. Any Python accepts it, so that one that is too old can be told apart.
pub fn first_words(control: i32) -> String {
    format!(
        "import os,sys,marshal\n\
         os.write({control},b'\\4\\0\\0\\0m'+getattr(sys.modules.get('_frozen_importlib_external'),'MAGIC_NUMBER',b'????'))\n\
         n=bytearray(os.read({control},5))\n\
         d=os.read({control},n[0]+256*n[1]+65536*n[2])\n\
         exec(marshal.loads(d) if n[4]==99 else d)"
    )
}

/// Compiled by `build.rs`: (magic number of the bytecode, `marshal` of boot.py, and of dicts of the parts that every run needs and
/// of those that a run with guards needs).
const COMPILED: &[(&str, &[u8], &[u8], &[u8])] = include!(concat!(env!("OUT_DIR"), "/compiled.rs"));

/// The frames that give an interpreter its worker: boot.py and the parts, compiled (`c`) where there is bytecode for its magic
/// number, else as source (`s`); those of the guards only where there are any.
pub fn code_for(magic: &[u8], with_guards: bool) -> Vec<u8> {
    let mut hex = String::new();
    for byte in magic {
        let _ = write!(hex, "{byte:02x}");
    }
    let mut frames = match COMPILED.iter().find(|(known, ..)| *known == hex) {
        Some((_, boot, worker, guards)) => vec![frame(b'c', boot), frame(b'c', worker), frame(b'c', guards)],
        None => {
            let worker = json!({ "worker": include_str!("worker.py"), "ending": include_str!("ending.py") });
            let guards = json!({ "kinds": include_str!("kinds.py"), "guards": include_str!("guards.py") });
            let source = |parts: serde_json::Value| frame(b's', parts.to_string().as_bytes());
            vec![frame(b's', include_bytes!("boot.py")), source(worker), source(guards)]
        }
    };
    frames.truncate(if with_guards { 3 } else { 2 });
    frames.concat()
}

#[cfg(test)]
mod tests {
    use super::code_for;

    #[test]
    fn an_unknown_interpreter_gets_the_source() {
        let frames = code_for(b"\0\0\0\0", false);
        assert_eq!(frames[4], b's');
        assert!(String::from_utf8_lossy(&frames).contains("def prepare("));
        let more = code_for(b"\0\0\0\0", true);
        assert!(more.starts_with(&frames) && String::from_utf8_lossy(&more).contains("def place("));
    }
}
