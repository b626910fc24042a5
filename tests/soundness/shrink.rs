//! Makes a program that shows a fault small: takes out lines (with what is indented below them) while the fault stays.

/// The smallest program found, within a number of tries, for which `fails` holds.
pub fn shrink(code: &str, tries: usize, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut best: Vec<String> = code.lines().map(str::to_owned).collect();
    let mut left = tries;
    loop {
        let before = best.clone();
        // Whole runs of lines first, then blocks, then single lines and shells of blocks.
        let mut size = best.len() / 2;
        while size >= 1 {
            let mut at = 0;
            while at < best.len() {
                let end = (at + size).min(best.len());
                let candidate = [&best[..at], &best[end..]].concat();
                if attempt(&mut best, candidate, &mut left, &mut fails) {
                    continue;
                }
                at += size;
            }
            size /= 2;
        }
        let mut at = 0;
        while at < best.len() {
            let end = block_end(&best, at);
            if end > at + 1 {
                let without = [&best[..at], &best[end..]].concat();
                if attempt(&mut best, without, &mut left, &mut fails) {
                    continue;
                }
                let body: Vec<String> = best[at + 1..end].iter().map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned()).collect();
                let shell_gone = [&best[..at], &body, &best[end..]].concat();
                if attempt(&mut best, shell_gone, &mut left, &mut fails) {
                    continue;
                }
                let mut emptied = best[..=at].to_vec();
                emptied.push(format!("{}pass", " ".repeat(indent(&best[at]) + 4)));
                emptied.extend_from_slice(&best[end..]);
                if emptied.len() < best.len() && attempt(&mut best, emptied, &mut left, &mut fails) {
                    continue;
                }
            }
            at += 1;
        }
        if best == before || left == 0 {
            return best.join("\n") + "\n";
        }
    }
}

fn attempt(best: &mut Vec<String>, candidate: Vec<String>, left: &mut usize, fails: &mut impl FnMut(&str) -> bool) -> bool {
    if *left == 0 || candidate.len() > best.len() || candidate.is_empty() {
        return false;
    }
    *left -= 1;
    let works = fails(&(candidate.join("\n") + "\n"));
    if works {
        *best = candidate;
    }
    works
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn block_end(lines: &[String], at: usize) -> usize {
    let head = indent(&lines[at]);
    lines[at + 1..].iter().position(|line| !line.trim().is_empty() && indent(line) <= head).map_or(lines.len(), |n| at + 1 + n)
}
