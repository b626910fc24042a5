//! The table of cost floors.

use antifreeze::value::cost;

#[test]
fn floors_are_positive_and_three_times_below_their_source() {
    for (name, floor) in cost::ALL {
        assert!(floor.seconds > 0.0, "{name}");
        assert!(floor.seconds * 2.99 < floor.source.0 * 1e-9, "{name}");
        assert!(floor.source.1.starts_with("CPython 3."), "{name}");
        assert!(floor.seconds < 1e-6, "{name} is no single operation");
    }
}

/// A whole is never cheaper than its parts: an order that measuring errors would break.
#[test]
fn floors_are_in_order() {
    let cheaper = |a: cost::Floor, b: cost::Floor| assert!(a.seconds <= b.seconds, "{a:?} {b:?}");
    cheaper(cost::C_ITERATION, cost::SUM_RANGE_ITEM);
    cheaper(cost::FOR_LIST, cost::FOR_RANGE);
    cheaper(cost::FOR_RANGE, cost::COMPREHENSION_ITEM);
    cheaper(cost::WHILE, cost::WHILE_COUNT);
    cheaper(cost::BUILTIN_CALL, cost::FUNCTION_CALL);
}

#[test]
fn costs_of_long_integers_grow_as_they_should() {
    // Linear for powers of two, about three times for twice the bits otherwise, four times while conversion is quadratic.
    assert!(cost::power(2, 2_000_000) < 2.1 * cost::power(2, 1_000_000));
    let ratio = cost::power(3, 2_000_000) / cost::power(3, 1_000_000);
    assert!((2.9..3.1).contains(&ratio), "{ratio}");
    assert!((3.9..4.1).contains(&(cost::int_to_str(80_000) / cost::int_to_str(40_000))));
    assert!((1.9..2.1).contains(&(cost::int_to_str(800_000) / cost::int_to_str(400_000))));
    assert!(cost::power(3, u128::MAX) > 1e9 && cost::power(1, u128::MAX) < 1e-3);
}
