// A program with inlined closures and iterators.
fn square(x: f64) -> f64 {
    x * x
        + 1.0 / (x + 1.0)
}

#[inline(never)]
fn heavy(list: &[f64]) -> f64 {
    list.iter()
        .map(|x| square(*x) + square(x + 2.0))
        .filter(|x| x.is_finite())
        .sum()
}

fn main() {
    let mut list: Vec<f64> = (0..1000).map(f64::from).collect();
    list.sort_by(|a, b| b.partial_cmp(a).unwrap());
    println!("{}", heavy(&list));
}
