//! From flags, environment and files to what is configured for each path.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};

use super::args::CheckArgs;
use super::limits::OutputArg;
use crate::cards;
use crate::config::file::{self, Deny, Duration, File, LimitsFile, Origin, Size, Word};
use crate::config::rules::PerFile;
use crate::config::{Config, ConfigError, Known, Matcher, environment, find};
use crate::eval::{OwnCallable, Settings};
use crate::fact::FactKind;
use crate::rules::{self, Profile};

/// Facts that a call of a callable of the user's own can be.
const CALLED: [FactKind; 6] =
    [FactKind::Sleep, FactKind::EndlessWait, FactKind::Network, FactKind::Subprocess, FactKind::ServesForever, FactKind::ReadsStdin];

/// The kind of fact that a rule's own callables give.
fn called_kind(code: &str) -> Option<FactKind> {
    let kinds = cards::find(code)?.meta.facts.iter().filter_map(|name| rules::fact_kind(name));
    kinds.into_iter().find(|kind| CALLED.contains(kind))
}

/// The rules there are.
fn known() -> Known {
    let rules = cards::all().iter().map(|card| (card.meta.code.clone(), card.meta.name.clone())).collect();
    let with_callables = cards::all().iter().map(|card| card.meta.code.clone()).filter(|code| called_kind(code).is_some()).collect();
    Known { rules, with_callables }
}

/// A configuration, made ready for use.
pub struct Configured {
    /// What is configured.
    pub config: Config,
    /// Own callables, as the evaluator takes them.
    callables: Arc<[OwnCallable]>,
    /// The folder patterns are relative to, without links.
    root: PathBuf,
    /// Made when a file is looked for first: a script about to run needs none of it.
    exclude: LazyLock<Matcher, Box<dyn FnOnce() -> Matcher + Send>>,
    per_file: Vec<Matcher>,
}

impl Configured {
    fn new(config: Config) -> Configured {
        let patterns = config.exclude.clone();
        let exclude: Box<dyn FnOnce() -> Matcher + Send> = Box::new(move || Matcher::new(&patterns));
        let per_file = config.rules.per_file.iter().map(|per_file| Matcher::new([&per_file.pattern])).collect();
        let callables = config.callables.iter().filter_map(|(code, callable)| {
            let card = cards::find(code)?;
            Some(OwnCallable {
                name: callable.name.clone(),
                kind: called_kind(code)?,
                unbounded: card.meta.limit.is_none() || card.meta.endless,
                seconds: callable.measures.as_deref() == Some("seconds"),
                argument: callable.argument,
                keyword: callable.keyword.clone(),
            })
        });
        let callables = callables.collect();
        let root = std::fs::canonicalize(&config.root).unwrap_or_else(|_| config.root.clone());
        Configured { config, callables, root, exclude: LazyLock::new(exclude), per_file }
    }

    /// What the evaluator is told.
    pub fn evaluator(&self, profile: Profile) -> Settings {
        Settings {
            limits: self.config.limits,
            target: self.config.target,
            is_main: profile == Profile::Agent,
            describe: false,
            callables: Arc::clone(&self.callables),
            ..Settings::default()
        }
    }

    /// Whether a path without links is left out, by itself.
    pub fn excludes(&self, path: &Path, is_dir: bool) -> bool {
        self.exclude.fits(path, is_dir)
    }

    /// The settings for a file, in order.
    pub fn per_file(&self, path: Option<&Path>) -> Vec<&PerFile> {
        if self.per_file.is_empty() {
            return Vec::new();
        }
        let Some(path) = path.and_then(without_links) else { return Vec::new() };
        let fits = |matcher: &Matcher| matcher.fits_below(&self.root, &path, false);
        self.config.rules.per_file.iter().zip(&self.per_file).filter(|(_, matcher)| fits(matcher)).map(|(per_file, _)| per_file).collect()
    }
}

/// A file's path, its folder without links: a link to a file is what it is called.
fn without_links(path: &Path) -> Option<PathBuf> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    Some(std::fs::canonicalize(parent).ok()?.join(path.file_name()?))
}

/// Resolves what is configured for paths.
pub struct Resolver {
    known: OnceLock<Known>,
    environment: Vec<(&'static str, File)>,
    flags: File,
    explicit: Option<PathBuf>,
    isolated: bool,
    profile: Option<Profile>,
    finder: find::Finder,
    loaded: HashMap<Option<PathBuf>, Arc<Configured>>,
}

impl Resolver {
    /// Reads flags and environment.
    ///
    /// # Errors
    /// What the environment says and cannot be read.
    pub fn new(args: &CheckArgs) -> Result<Resolver, Vec<ConfigError>> {
        let environment = environment::read(environment::variable).map_err(|error| vec![error])?;
        let explicit = args.config.config.clone().or_else(|| {
            let named = environment::variable("ANTIFREEZE_CONFIG").filter(|_| !args.config.isolated);
            named.map(PathBuf::from)
        });
        let from_environment = match environment::variable("ANTIFREEZE_PROFILE").as_deref() {
            None => None,
            Some("agent") => Some(Profile::Agent),
            Some("library") => Some(Profile::Library),
            Some(other) => {
                return Err(vec![ConfigError {
                    origin: "ANTIFREEZE_PROFILE".into(),
                    place: None,
                    message: format!("`{other}` is no profile"),
                    help: "Set it to `agent` or `library`, or unset it.".into(),
                }]);
            }
        };
        Ok(Resolver {
            known: OnceLock::new(),
            environment,
            flags: flags(args),
            explicit,
            isolated: args.config.isolated,
            profile: args.profile.map(Profile::from).or(from_environment),
            finder: find::Finder::default(),
            loaded: HashMap::new(),
        })
    }

    /// The profile that was asked for.
    pub fn profile(&self) -> Option<Profile> {
        self.profile
    }

    /// What is configured for a path. Under `agent`, and where there is no path, nothing near it is read.
    ///
    /// # Errors
    /// Everything that is wrong with the configuration.
    pub fn configured(&mut self, path: Option<&Path>, profile: Profile) -> Result<Arc<Configured>, Vec<ConfigError>> {
        let file = match (&self.explicit, path) {
            (Some(explicit), _) => Some(explicit.clone()),
            (None, Some(path)) if profile == Profile::Library && !self.isolated => self.finder.find(path),
            _ => None,
        };
        if let Some(loaded) = self.loaded.get(&file) {
            return Ok(Arc::clone(loaded));
        }
        let mut config = match &file {
            Some(file) => file::load(file, self.explicit.is_none(), Config::default(), self.known.get_or_init(known))?,
            None => Config::default(),
        };
        // The cards are read only where a rule is named.
        let names_rules = self.environment.iter().any(|(_, said)| said.names_rules()) || self.flags.names_rules();
        let none = Known::default();
        let known = if names_rules { self.known.get_or_init(known) } else { &none };
        let said = |name: &str| Origin { name: name.to_owned(), text: None };
        for (variable, file) in &self.environment {
            file::apply(&mut config, file, &said(variable), known)?;
        }
        file::apply(&mut config, &self.flags, &said("the command line"), known)?;
        let configured = Arc::new(Configured::new(config));
        self.loaded.insert(file, Arc::clone(&configured));
        Ok(configured)
    }

    /// Whether a named file is left out, by itself or with a folder it is in: by what is configured for it, or for a folder further up,
    /// as a walk from there would.
    ///
    /// # Errors
    /// Everything that is wrong with the file's configuration.
    pub fn leaves_out(&mut self, path: &Path, profile: Profile) -> Result<bool, Vec<ConfigError>> {
        let mut configured = self.configured(Some(path), profile)?;
        let Some(mut path) = without_links(path) else { return Ok(false) };
        let mut is_dir = false;
        while configured.config.force_exclude {
            if configured.exclude.fits_below(&configured.root, &path, is_dir) {
                return Ok(true);
            }
            let Some(above) = configured.root.parent().filter(|_| self.explicit.is_none()) else { break };
            let Ok(next) = self.configured(Some(above), profile) else { break };
            if next.config.file.is_none() || Arc::ptr_eq(&next, &configured) {
                break;
            }
            (path, is_dir) = (configured.root.clone(), true);
            configured = next;
        }
        Ok(false)
    }

    /// What was passed over on the way to the configurations, each once.
    pub fn warnings(&mut self) -> Vec<ConfigError> {
        std::mem::take(&mut self.finder.warnings)
    }
}

/// What flags configure, in the form of a file.
fn flags(args: &CheckArgs) -> File {
    let word = |text: &String| Word::new(0..0, text.clone());
    let words = |list: &[String]| (!list.is_empty()).then(|| list.iter().map(word).collect::<Vec<Word>>());
    let output = OutputArg::limit(&args.output).map(Size);
    File {
        target_version: args.config.target_version.as_ref().map(word),
        select: words(&args.config.select),
        ignore: words(&args.config.ignore),
        deny: args.deny.map(|_| vec![Deny::Warnings]),
        exclude: words(&args.files.exclude),
        extend_exclude: words(&args.files.extend_exclude),
        force_exclude: args.files.force_exclude.then_some(true),
        respect_gitignore: args.files.no_respect_gitignore.then_some(false),
        baseline: args.changes.baseline.clone(),
        cache_dir: args.files.cache_dir.clone(),
        limits: LimitsFile {
            int_bits: args.limits.int_bits,
            timeout: args.limits.timeout.map(Duration),
            memory: args.limits.memory.map(Size),
            output,
            processes: args.limits.processes,
        },
        level: args.config.level.iter().map(|(code, level)| (word(code), toml::Spanned::new(0..0, *level))).collect(),
        ..File::default()
    }
}
