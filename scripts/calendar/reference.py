#!/usr/bin/env python3
"""Generates recurrence rules and cron expressions, with the instants that dateutil and cronsim give them, as JSON.

    python3 -m venv /tmp/reference
    /tmp/reference/bin/pip install python-dateutil==2.9.0.post0 cronsim==2.8 tzdata==2025.3
    PYTHONTZPATH= /tmp/reference/bin/python scripts/calendar/reference.py 2000 1000 > /tmp/reference.json
    CALENDAR_REFERENCE=/tmp/reference.json npm test -- test/calendar.spec.ts

tzdata should be of the version that `node -p process.versions.tz` names. With a third argument, a year, nothing after it is
expected, so that the result depends on no clock change that may still be revised: test/support/calendar-reference.json is made
with 80 60 2024.
"""

import json
import random
import sys
from datetime import datetime, timedelta, timezone
from functools import cache
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from dateutil.rrule import rrulestr

ZONES = """Africa/Cairo Africa/Casablanca America/Asuncion America/Havana America/New_York America/Nuuk America/Santiago
America/Sao_Paulo America/St_Johns Antarctica/Troll Asia/Amman Asia/Beirut Asia/Gaza Asia/Kathmandu Asia/Tehran Atlantic/Azores
Australia/Lord_Howe Europe/Berlin Europe/Dublin Pacific/Apia Pacific/Chatham UTC""".split()
WEEKDAYS = "MO TU WE TH FR SA SU".split()
INSTANTS = 9


def instant(local: datetime, zone: ZoneInfo, fold: int = 0) -> datetime:
    """A time that does not exist is read with the offset before the gap, one that comes twice is its first."""
    return local.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc)


@cache
def clock_changes(zone: ZoneInfo, first: int, last: int) -> list[datetime]:
    changes, day = [], datetime(first, 1, 1, tzinfo=timezone.utc)
    while day.year <= last:
        after = day + timedelta(days=1)
        if day.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
            while after - day > timedelta(minutes=1):
                middle = day + (after - day) / 2
                middle = middle.replace(second=0, microsecond=0)
                if middle in (day, after):
                    break
                if day.astimezone(zone).utcoffset() == middle.astimezone(zone).utcoffset():
                    day = middle
                else:
                    after = middle
            changes.append(after)
            day = after.replace(hour=0, minute=0) + timedelta(days=1)
        else:
            day = after
    return changes


def some(values, least=1, most=4):
    values = list(values)
    return sorted(random.sample(values, min(len(values), random.randint(least, most))))


def listed(values) -> str:
    return ",".join(map(str, values))


def days_by_number(most: int) -> str:
    return ",".join(f"{random.choice([1, 2, 3, most, -1, -2, -most])}{day}" for day in random.sample(WEEKDAYS, random.randint(1, 3)))


def generate_rule(start: datetime) -> str:
    frequency = random.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    parts = [f"FREQ={frequency}"]
    has_list = False

    def maybe(chance: float, part) -> None:
        nonlocal has_list
        if random.random() < chance:
            parts.append(part())
            has_list = True

    interval = random.choice([1, 1, 1, 2, 3, 5])
    if interval > 1:
        parts.append(f"INTERVAL={interval}")
    numbers = [n for n in range(-31, 32) if n != 0]
    maybe(0.25, lambda: f"BYMONTH={listed(some(range(1, 13), 2, 8))}")
    weeks = False
    if frequency == "YEARLY":
        kind = random.random()
        if kind < 0.25:
            maybe(1, lambda: f"BYWEEKNO={listed(some([*range(1, 54), -1, -2, -10], 2, 8))}")
            weeks = True
        elif kind < 0.4:
            maybe(1, lambda: f"BYYEARDAY={listed(some([n for n in range(-366, 367) if n != 0], 4, 12))}")
    if frequency in ("MONTHLY", "YEARLY") and random.random() < 0.3 and not weeks:
        maybe(1, lambda: f"BYDAY={days_by_number(4 if frequency == 'MONTHLY' else 40)}")
    else:
        maybe(0.4, lambda: f"BYDAY={','.join(random.sample(WEEKDAYS, random.randint(1, 5)))}")
    if frequency != "WEEKLY" and "BYDAY" not in "".join(parts):
        maybe(0.4, lambda: f"BYMONTHDAY={listed(some(numbers, 2, 8))}")
    if has_list and frequency != "DAILY" and random.random() < 0.25:
        parts.append(f"BYSETPOS={listed(some([-3, -2, -1, 1, 2, 3], 1, 3))}")
        # dateutil takes the first week from the start on, RFC 5545 takes it whole: they agree where weeks begin on that day.
        if frequency == "WEEKLY":
            parts.append(f"WKST={WEEKDAYS[start.weekday()]}")
    elif random.random() < 0.2:
        parts.append(f"WKST={random.choice(WEEKDAYS)}")
    end = random.random()
    if end < 0.2:
        parts.append(f"COUNT={random.randint(2, 15)}")
    elif end < 0.4:
        until = start + timedelta(days=random.randint(30, 1500), minutes=random.randint(0, 1440))
        parts.append(f"UNTIL={until.strftime('%Y%m%dT%H%M00Z')}")
    return ";".join(parts)


def rule_case(last_year: int) -> dict:
    zone_name = random.choice(ZONES)
    zone = ZoneInfo(zone_name)
    changes = clock_changes(zone, 2010, last_year)
    start = datetime(random.randint(2010, last_year - 1), 1, 1) + timedelta(days=random.randint(0, 364), minutes=random.randint(0, 287) * 5)
    if changes and random.random() < 0.7:
        # A time of day that a change leaves out or brings twice, some days before it.
        change = random.choice(changes).astimezone(zone).replace(tzinfo=None)
        start = change + timedelta(minutes=random.randint(-18, 18) * 5, days=-random.randint(0, 60))
    start = instant(start.replace(second=0), zone).astimezone(zone).replace(tzinfo=None, fold=0)
    text = generate_rule(start)
    until = next((part[6:] for part in text.split(";") if part.startswith("UNTIL=")), None)
    rule = rrulestr(";".join(part for part in text.split(";") if not part.startswith("UNTIL=")), dtstart=start)
    limit = datetime.strptime(until, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc) if until else datetime.max.replace(tzinfo=timezone.utc)
    limit = min(limit, datetime(last_year, 12, 20, tzinfo=timezone.utc))
    starts = {instant(start, zone)}
    for local in islice(rule.xafter(datetime(2000, 1, 1), inc=True), 400):
        if instant(local, zone) > limit:
            break
        starts.add(instant(local, zone))
    return {"rule": text, "timezone": zone_name, "start": shown(instant(start, zone)), "instants": chosen(sorted(starts), changes)}


def shown(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%MZ")


def chosen(times: list[datetime], changes: list[datetime]) -> list[list[str]]:
    """Pairs of neighbours: the first ones, the last one, and those next to a change of the clock."""
    pairs = list(zip(times, times[1:]))
    near = [pair for pair in pairs if any(pair[0] <= change <= pair[1] + timedelta(days=1) for change in changes)]
    return [[shown(one), shown(other)] for one, other in dict.fromkeys([*pairs[: INSTANTS // 3], *near[: INSTANTS], *pairs[-1:]])]


def cron_field(least: int, most: int) -> str:
    kind = random.random()
    if kind < 0.25:
        return "*"
    if kind < 0.35:
        return f"*/{random.choice([2, 3, 5, 10, 15])}"
    if kind < 0.55:
        return str(random.randint(least, most))
    if kind < 0.75:
        return listed(some(range(least, most + 1), 2, 4))
    low, high = sorted(random.sample(range(least, most + 1), 2))
    return f"{low}-{high}" + (f"/{random.randint(1, 5)}" if random.random() < 0.4 else "")


def generate_cron() -> str:
    near_changes = random.random() < 0.6
    hour = random.choice(["0", "1", "2", "3", "2,3", "1-3", "0-4", "*/2", "23", "0,23", "*", "1-23/2"]) if near_changes else cron_field(0, 23)
    day = random.choice(["*", "*", "*", "*/2", "L", "LW", cron_field(1, 31)])
    weekday = random.choice(["*", "*", "*", "*/2", cron_field(0, 7), "MON-FRI", "SUN", "5L", "1#2", "SAT,SUN#3"])
    if day == "LW":  # not offered
        day = "1-7"
    return " ".join([cron_field(0, 59), hour, day, random.choice(["*", "*", "*", cron_field(1, 12)]), weekday])


def cron_case(last_year: int) -> dict:
    zone_name = random.choice(ZONES)
    zone = ZoneInfo(zone_name)
    changes = clock_changes(zone, 2010, last_year - 1)
    after = datetime(random.randint(2010, last_year - 1), 1, 1, tzinfo=timezone.utc) + timedelta(minutes=random.randint(0, 500_000))
    if changes and random.random() < 0.8:
        after = random.choice(changes) - timedelta(minutes=random.randint(1, 1500))
    text = generate_cron()
    naive = (after.astimezone(zone) - timedelta(days=2)).replace(tzinfo=None, fold=0)
    simulated = CronSim(text, naive)
    is_of_every_hour = len(simulated.hours) == 24
    times: set[datetime] = set()
    for local in islice(simulated, 4000 if is_of_every_hour else 2000):
        if local > naive + timedelta(days=3 * 366) or len([time for time in times if time > after]) > 3 * INSTANTS:
            break
        times.add(instant(local, zone))
        again = instant(local, zone, 1)
        # Of every hour: the hour that comes twice is two hours.
        if is_of_every_hour and again.astimezone(zone).replace(tzinfo=None, fold=0) == local:
            times.add(again)
    limit = datetime(last_year, 12, 20, tzinfo=timezone.utc)
    following = [time for time in sorted(times) if after < time < limit][: 2 * INSTANTS]
    return {"cron": text, "timezone": zone_name, "after": shown(after), "instants": [shown(time) for time in following]}


def many(make, wanted: int, last_year: int) -> list[dict]:
    cases: list[dict] = []
    while len(cases) < wanted:
        try:
            case = make(last_year)
        except (ValueError, IndexError, StopIteration, CronSimError):  # what the reference refuses is no case
            continue
        if case["instants"]:
            cases.append(case)
    return cases


random.seed(5545)
last = int(sys.argv[3]) if len(sys.argv) > 3 else 2036
made = {"rules": many(rule_case, int(sys.argv[1]), last), "crons": many(cron_case, int(sys.argv[2]), last)}
kinds = [f'"{kind}": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]" for kind, cases in made.items()]
print("{" + ",\n".join(kinds) + "}")
