"""The measuring loop on a fake clock and a fake device: no waiting, no real time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from workloads_fakes import RULES, FakeClock, FakeDevice, taking

from workloads.measure.block import time_block
from workloads.measure.load import Load, busy_seconds, others_share, read_load
from workloads.measure.loop import calibrate, measure, replay, warm_up
from workloads.measure.queue import HostQueue
from workloads.measure.rules import rules_for
from workloads.measure.stop import Stop, decide, is_stable, noise


def test_device_time_is_read_after_the_work_has_ended():
    """Launching costs microseconds, the work 1.36 ms: the harness reports the work."""
    clock = FakeClock()
    device = FakeDevice(clock, launch_s=1e-5)

    measured = measure(device, clock, lambda: device.work(1.36e-3), replace(RULES, filled=True))

    assert pytest.approx(1.36e-3, rel=1e-6) == measured.median_s


@pytest.mark.parametrize("repeats", [1, 2, 4])
def test_doubling_the_inner_loop_doubles_the_time(repeats):
    """The reported time is proportional to the work inside one call."""
    clock = FakeClock()
    device = FakeDevice(clock)

    def call():
        for _ in range(repeats):
            device.work(0.002)

    assert pytest.approx(repeats * 0.002) == measure(device, clock, call, RULES).median_s


@pytest.mark.parametrize("calls", [1, 10])
def test_samples_are_per_call(calls):
    """A block of 10 calls gives the same time per call as a block of one."""
    clock = FakeClock()

    measured = measure(HostQueue(clock), clock, taking(clock, [], 0.25), RULES, calls)

    assert (calls, pytest.approx(0.25)) == (measured.calls_per_sample, measured.median_s)


def test_a_slow_first_call_does_not_move_the_median():
    """129 s of compilation and 2 s of settling end in warm-up, not in the samples."""
    clock = FakeClock()
    rules = replace(RULES, warmup_cap_s=500.0)

    measured = measure(HostQueue(clock), clock, taking(clock, [129.0, 2.0], 0.05), rules)

    assert pytest.approx(0.05) == measured.median_s
    assert max(measured.samples_s) == pytest.approx(0.05)


def test_one_outlier_among_the_samples_does_not_move_the_median():
    """A 4 s call among 0.05 s calls is kept raw and leaves the median alone."""
    clock = FakeClock()
    times = [0.05] * 6 + [4.0]

    measured = measure(HostQueue(clock), clock, taking(clock, times, 0.05), RULES)

    assert pytest.approx(4.0) == max(measured.samples_s)
    assert pytest.approx(0.05) == measured.median_s


def test_a_pre_filled_stream_hides_the_hosts_gaps():
    """Where the host needs longer than the kernel, the filled device time is the kernel's."""
    clock = FakeClock()
    device = FakeDevice(clock, launch_s=5e-5)
    rules = replace(RULES, filled=True, block_s=1e-3)

    measured = measure(device, clock, lambda: device.work(1e-5), rules)

    assert pytest.approx(1e-5, rel=0.05) == measured.median_s
    assert ("launch-bound",) == measured.flags


def test_a_step_that_waits_for_its_launches_is_launch_bound():
    """Steps are timed as they come; a much shorter filled step betrays the host's gaps."""
    clock = FakeClock()
    device = FakeDevice(clock, launch_s=2e-3)

    def step():
        for _ in range(10):
            device.work(1e-3)

    measured = measure(device, clock, step, RULES)

    assert ("launch-bound",) == measured.flags
    assert measured.metrics["filled_s_per_call"] < measured.median_s


def test_cold_samples_flush_before_every_call():
    """Each cold sample has its own flush and stands beside the hot ones."""
    clock = FakeClock()
    device = FakeDevice(clock)
    rules = replace(RULES, filled=True, cold_samples=45)

    measured = measure(device, clock, lambda: device.work(1e-3), rules)

    assert (45, 45) == (device.flushed, len(measured.metrics["cold_samples_s"]))


def test_sampling_that_never_settles_is_noisy_and_ends_at_the_cap():
    """Growing times neither settle nor become stable; the cap ends them with a flag."""
    clock = FakeClock()
    times = (0.01 * 1.05**i for i in range(10_000))

    measured = measure(HostQueue(clock), clock, taking(clock, times, 1.0), RULES)

    assert ("noisy",) == measured.flags
    assert Stop.CAP.value == measured.metrics["stop"]


def test_warm_up_ends_at_its_cap_even_when_times_never_agree():
    """A call slower than the cap is warmed up once."""
    clock = FakeClock()

    warm = warm_up(HostQueue(clock), clock, lambda: clock.advance(60.0), RULES)

    assert (1, False) == (warm.calls, warm.agreed)


@pytest.mark.parametrize(
    ("per_call_s", "expected"), [(0.25, 1), (0.03, 4), (1e-9, 400), (0.0, 400)]
)
def test_calibrated_calls_fill_a_block_within_bounds(per_call_s, expected):
    """A block of 0.1 s holds as many calls as fit, at least 1 and at most 400."""
    assert expected == calibrate(per_call_s, replace(RULES, block_s=0.1))


def test_rules_without_a_block_time_call_once():
    """Steps and one-off work are timed call by call."""
    assert {1} == {calibrate(s, rules_for("step", "cuda", "full")) for s in (0.0, 1e-6, 1.0)}


def test_the_articles_loop_is_a_total_after_its_warm_ups():
    """10 warm-ups are left out, 100 calls are in."""
    clock = FakeClock()

    total_s = replay(HostQueue(clock), clock, taking(clock, [9.0] * 10, 0.5), 10, 100)

    assert pytest.approx(50.0) == total_s


def test_wall_and_process_time_stand_beside_the_device_time():
    """All clocks of a block are totals over its calls."""
    clock = FakeClock()

    block = time_block(HostQueue(clock), clock, lambda: clock.advance(0.5), 3)

    assert (1.5, 1.5, 1.5, 0.5) == (
        block.device_s,
        block.wall_s,
        block.process_s,
        block.per_call_s,
    )


def test_noise_is_a_robust_relative_spread():
    """A constant has none, one sample has none, an outlier adds nothing."""
    assert [0.0, 0.0, 0.0] == [noise([2.0] * 9), noise([1.0]), noise([2.0] * 9 + [50.0])]
    assert noise([1.0, 2.0, 3.0]) == pytest.approx(1.4826 / 2)


def test_stable_noise_settles_where_the_target_is_out_of_reach():
    """Alternating samples have the same spread however many there are; a wide one never does."""
    samples = [1.0, 1.1] * 20

    assert is_stable(samples)
    assert Stop.STABLE is decide(samples, 1.0, RULES)
    assert not is_stable([1.0, 1.4] * 20)


def test_no_decision_before_the_least_number_and_time():
    """Ten equal samples settle; nine do not, nor do ten in too short a time."""
    assert Stop.SETTLED is decide([1.0] * 10, 1.0, RULES)
    assert Stop.GO_ON is decide([1.0] * 9, 1.0, RULES)
    assert Stop.GO_ON is decide([1.0] * 10, 1.0, replace(RULES, min_s=2.0))


def test_the_cap_keeps_a_floor_of_samples():
    """Past the cap, sampling goes on until three samples exist."""
    assert Stop.GO_ON is decide([1.0] * 2, 1e6, RULES)
    assert Stop.CAP is decide([1.0] * 3, 1e6, RULES)


def test_ten_quiet_samples_settle_at_the_cap():
    """Calls too long for the least number of samples are not noisy for that alone."""
    rules = replace(RULES, min_samples=30)

    assert Stop.SETTLED is decide([1.0] * 10, 1e6, rules)
    assert Stop.CAP is decide([1.0, 1.2] * 5, 1e6, rules)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("kind", ["kernel", "step", "one_off"])
def test_full_and_published_are_the_whole_protocol(kind, device):
    """The published preset changes sizes and counts, never the protocol."""
    assert rules_for(kind, device, "full") == rules_for(kind, device, "published")
    assert rules_for(kind, device, "smoke").max_s < rules_for(kind, device, "full").max_s


def test_busy_time_leaves_out_idle_and_counts_guests_once():
    """User nice system idle iowait irq softirq steal guest guest_nice, in ticks."""
    assert busy_seconds("cpu  100 10 20 999 888 1 2 67 50 5\ncpu0 1\n", 100) == 2.0


@pytest.mark.parametrize("text", ["", "intr 5", "cpu a b"])
def test_a_system_that_does_not_tell_its_load_gives_none(tmp_path, text):
    """Absent or strange files are no reading, and no reading gives no share."""
    (tmp_path / "stat").write_text(text, encoding="ascii")

    strange = read_load(FakeClock(), tmp_path / "stat")
    absent = read_load(FakeClock(), tmp_path / "absent")

    assert (None, None) == (strange.busy_s, absent.busy_s)
    assert others_share(strange, Load(1.0, 0.0, None), 2) is None


def test_the_others_share_leaves_out_this_process():
    """10 s on 2 processors, 15 s busy, 11 s of them ours: a fifth is others'."""
    before, after = Load(0.0, 0.0, 100.0), Load(10.0, 11.0, 115.0)

    assert pytest.approx(0.2) == others_share(before, after, 2)
    assert others_share(before, Load(10.0, 20.0, 115.0), 2) == 0.0
