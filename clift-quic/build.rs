//! Compiles the link core of clift-ns2 and the host of its settings and records, which the kernel's driver uses too.
use std::path::{Path, PathBuf};

fn sources_of(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = folder
        .read_dir()
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of a folder").path())
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "cc"))
        .collect();
    found.sort();
    found
}

fn main() {
    let core = Path::new("../clift-ns2");
    let driver = Path::new("../clift-linux/driver");
    let mut files = sources_of(&core.join("core"));
    files.extend(sources_of(&core.join("core/aqm")));
    for name in ["flow_table", "ip_packet", "report", "histogram"] {
        files.push(core.join(format!("emulate/{name}.cc")));
    }
    files.push(core.join("ns2/end_with_parent.cc"));
    files.extend(["host.cc", "path.cc"].map(|name| driver.join(name)));
    cc::Build::new().cpp(true).std("c++17").include(core).include(driver).files(files).compile("clift");
    for folder in ["core", "core/aqm", "emulate", "ns2"] {
        println!("cargo::rerun-if-changed={}", core.join(folder).display());
    }
    println!("cargo::rerun-if-changed={}", driver.display());
}
