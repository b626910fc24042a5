//! What somebody may have meant.

/// The known word nearest to what was typed, if it is near enough to be meant.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // What is longer than any word is none mistyped, and comparing takes the product of the lengths.
    if typed.len() > 100 {
        return None;
    }
    let typed = typed.to_lowercase();
    let (word, away) = known.into_iter().map(|word| (word, away(&word.to_lowercase(), &typed))).min_by_key(|(_, away)| *away)?;
    (away <= 1 + typed.len() / 3).then_some(word)
}

/// `; did you mean …`, or nothing.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map_or_else(String::new, |word| format!("; did you mean `{word}`?"))
}

/// How far a word is from what was typed. Who leaves a word's end out is near.
fn away(word: &str, typed: &str) -> usize {
    if typed.len() >= 4 && word.starts_with(typed) && word.len() > typed.len() { 1 } else { distance(word, typed) }
}

/// How many characters to insert, remove or replace (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
