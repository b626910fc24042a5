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

/// Compiled by `build.rs`: (magic number of the bytecode, `marshal` of boot.py, and of dicts of the parts that every run needs, of
/// those that a run with guards needs, and of what a session needs).
const COMPILED: &[(&str, [&[u8]; 4])] = include!(concat!(env!("OUT_DIR"), "/compiled.rs"));

/// Groups of parts, by their place in [`COMPILED`].
pub const PLAIN: [usize; 1] = [1];
/// What a run with guards needs.
pub const GUARDED: [usize; 2] = [1, 2];
/// What a session needs.
pub const SESSION: [usize; 3] = [1, 2, 3];

/// The frames that give an interpreter its worker: boot.py and the parts, compiled (`c`) where there is bytecode for its magic
/// number, else as source (`s`).
pub fn code_for(magic: &[u8], groups: &[usize]) -> Vec<u8> {
    let mut hex = String::new();
    for byte in magic {
        let _ = write!(hex, "{byte:02x}");
    }
    let groups = std::iter::once(&0).chain(groups);
    let frames = match COMPILED.iter().find(|(known, _)| *known == hex) {
        Some((_, parts)) => groups.map(|group| frame(b'c', parts[*group])).collect::<Vec<_>>(),
        None => {
            let sources = [
                json!({ "worker": include_str!("worker.py"), "ending": include_str!("ending.py") }),
                json!({ "kinds": include_str!("kinds.py"), "guards": include_str!("guards.py") }),
                json!({ "session": include_str!("session.py") }),
            ];
            let source = |group: usize| match group.checked_sub(1) {
                None => frame(b's', include_bytes!("boot.py")),
                Some(at) => frame(b's', sources[at].to_string().as_bytes()),
            };
            groups.map(|group| source(*group)).collect()
        }
    };
    frames.concat()
}

#[cfg(test)]
mod tests {
    use super::{GUARDED, PLAIN, SESSION, code_for};

    #[test]
    fn an_unknown_interpreter_gets_the_source() {
        let frames = code_for(b"\0\0\0\0", &PLAIN);
        assert_eq!(frames[4], b's');
        assert!(String::from_utf8_lossy(&frames).contains("def prepare("));
        let more = code_for(b"\0\0\0\0", &GUARDED);
        assert!(more.starts_with(&frames) && String::from_utf8_lossy(&more).contains("def place("));
        let most = code_for(b"\0\0\0\0", &SESSION);
        assert!(most.starts_with(&more) && String::from_utf8_lossy(&most).contains("def make_backup("));
    }
}
