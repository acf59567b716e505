import { type Browser, chromium } from 'playwright-core';
import { requires } from '../../../test/support/requirements.js';
import { compareMeasurements } from '../comparison/compare.js';
import type { ComparedRuns } from '../comparison/comparisons.service.js';
import { emptyHistogram, LatencyRecorder } from '../load/latency-histogram.js';
import { type Measurement, mergeSlices, type Slice } from '../load/measurement.js';
import { summarize } from '../load/runner-results.js';
import type { PerformanceRun } from '../runs/run.entity.js';
import { renderChart } from './chart.js';
import { chartOfComparison, chartOfRun } from './performance-charts.js';

/** Answers in each second, in milliseconds, and requests that failed. */
const measured = (seconds: [number[], number][]): Measurement => ({
  slices: seconds.map(([latencies, failed], second): Slice => {
    const recorder = new LatencyRecorder();
    for (const latency of latencies) recorder.record(latency / 1_000);
    const statuses: Record<string, number> = latencies.length > 0 ? { '200': latencies.length } : {};
    const errors: Record<string, number> = failed > 0 ? { 'no response in time': failed } : {};
    return { start: second * 1_000, length: 1_000, bytes: 0, statuses, errors, latencies: recorder.toHistogram() };
  }),
});

const runOf = (name: string, measurement: Measurement): PerformanceRun =>
  ({
    ...{
      name,
      generator: 'k6',
      testStartTime: new Date(0),
      summary: summarize(measurement, { seconds: measurement.slices.length }),
    },
    plan: { method: 'GET', endpoint: 'http://shop.example.com/', model: 'open', rate: 10, connections: 2, seconds: 5 },
  }) as PerformanceRun;

const FAILING = measured([
  [[10, 12, 30], 0],
  [[11, 14, 50], 2],
  [[], 9],
  [[900, 20, 15], 1],
]);
const STEADY = measured(Array.from({ length: 6 }, (): [number[], number] => [[10, 11, 12, 13], 0]));
const SILENT = measured([
  [[], 10],
  [[], 10],
]);
const SINGLE = measured([[[12], 0]]);
const SLOW = measured(Array.from({ length: 6 }, (): [number[], number] => [[298_765, 123_456, 34_567], 0]));
const QUICK = measured(Array.from({ length: 6 }, (): [number[], number] => [[0.001, 0.0123, 12_345.678], 0]));
const HOSTILE = {
  markup: '</text><script>alert(1)</script>&"\'<'.repeat(8),
  wide: 'W'.repeat(255),
  ideographs: '試'.repeat(255),
  leftwards: 'בדיקת עומס 123 '.repeat(20),
  marks: `a${'\u0301'.repeat(200)}\u202E evil \u0000\n line`,
};

function comparedRuns(nameA: string, measuredA: Measurement, nameB: string, measuredB: Measurement): ComparedRuns {
  const measurements = { a: measuredA, b: measuredB };
  return {
    ...{ a: runOf(nameA, measuredA), b: runOf(nameB, measuredB), measurements, warnings: [] },
    comparison: compareMeasurements(measurements),
    planDifferences: ['endpoint', 'protocol', 'method', 'model', 'rate', 'connections', 'seconds', 'load_generator'],
  };
}

/** A comparison of runs by this name, and a run of a host by a long name. */
const hostileChart = (name: string, theme: 'light' | 'dark'): string => {
  const run = runOf(name, FAILING);
  const plan = { ...run.plan, endpoint: `http://${'long-host.'.repeat(20)}example.com/` };
  const single = renderChart(chartOfRun({ ...run, plan } as PerformanceRun, FAILING), theme);
  return `${single}${renderChart(chartOfComparison(comparedRuns(name, STEADY, name, FAILING)), theme)}`;
};
const chartsOf = (theme: 'light' | 'dark'): Record<string, string> => {
  return {
    failing: renderChart(chartOfRun(runOf('failing', FAILING), FAILING), theme),
    silent: renderChart(chartOfRun(runOf('silent', SILENT), SILENT), theme),
    compared: renderChart(chartOfComparison(comparedRuns('before', STEADY, 'after', FAILING)), theme),
    ...Object.fromEntries(Object.entries(HOSTILE).map(([kind, name]) => [kind, hostileChart(name, theme)])),
    single: renderChart(chartOfRun(runOf('single', SINGLE), SINGLE), theme),
    slow: renderChart(chartOfComparison(comparedRuns('quick', QUICK, 'slow', SLOW)), theme),
    empty: renderChart(chartOfRun(runOf('empty', { slices: [] }), { slices: [] }), theme),
  };
};

describe('charts', () => {
  it('have their colours as attributes, which viewers without style sheets know', () => {
    for (const chart of Object.values(chartsOf('light'))) expect(chart).not.toMatch(/var\(|<style/);
    const auto = renderChart(chartOfRun(runOf('steady', STEADY), STEADY), 'auto');
    expect(auto).toMatch(/<rect class="page" fill="#ffffff"/);
    expect(auto).toMatch(/<style>@media \(prefers-color-scheme:dark\){\.page{fill:#11161d}/);
  });

  it('show the budget, its verdict, and stalls', () => {
    const { slices } = STEADY;
    const service = mergeSlices(slices).latencies;
    const none = emptyHistogram();
    const totals = {
      ...{ service, firstByte: none, connect: none, wait: none, lag: none, due: 24, sent: 24, connections: 2 },
      stalls: [{ at: 2_000, length: 1_500 }],
    };
    const budget = {
      passed: false,
      checks: [
        { name: 'p99_ms', limit: 12, actual: 13, passed: false },
        { name: 'min_rps', limit: 3, actual: 4, passed: true },
      ],
    };
    const measurement = { slices, totals };
    const run = { ...runOf('watched', measurement), budget } as PerformanceRun;
    const chart = renderChart(chartOfRun(run, measurement), 'light');
    expect(chart).toContain('Budget exceeded: p99_ms 13 of 12 exceeded; min_rps 4 of 3');
    expect(chart).toContain('<title>budget p99_ms 12</title>');
    expect(chart).toContain('<title>budget min_rps 3</title>');
    expect(chart).toContain('No response for 1.5 s in all');
    expect(chart.match(/<title>no response from 2 s to 3.5 s<\/title>/g)).toHaveLength(2);
    expect(chart).toContain('1970-01-01T00:00:00Z');
  });

  it('hold names as text, whatever they are', () => {
    for (const chart of Object.values(chartsOf('light'))) {
      expect(chart).not.toMatch(/<script|\u202E|\0/);
      expect(chart).not.toMatch(/NaN|Infinity|undefined|null/);
      expect(chart.match(/<svg/g)?.length).toBe(chart.match(/<\/svg>/g)?.length);
    }
  });

  it('interrupt latencies where nothing was answered, and name what went wrong', () => {
    const { failing = '', silent = '', empty = '' } = chartsOf('light');
    // Three percentiles and the maximum, each in a section and a point; and two lines of throughput.
    expect(failing.match(/<polyline/g)).toHaveLength(6);
    expect(failing.match(/<circle/g)).toHaveLength(4);
    expect(failing).toContain('Errors: 12 no response in time');
    expect(silent.match(/<polyline/g)).toHaveLength(2);
    expect(silent).toContain('100 % errors');
    for (const chart of [failing, silent, empty]) expect(chart).not.toMatch(/NaN|Infinity|undefined|null/);
  });
});

/** What leaves its picture, what covers another text, and text that differs too little from its page (below 4.5 to 1). */
const FIND_FAULTS = `(() => {
  const faults = [];
  const part = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((each) => part(each / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  document.querySelectorAll('svg').forEach((svg, index) => {
    const frame = svg.getBoundingClientRect();
    const page = luminance(getComputedStyle(svg.querySelector('.page')).fill);
    for (const node of svg.querySelectorAll('text, polyline, rect')) {
      const { left, right, bottom } = node.getBoundingClientRect();
      const isOutside = left < frame.left - 1 || right > frame.right + 1 || bottom > frame.bottom + 1;
      if (isOutside) faults.push(index + ' leaves: ' + (node.textContent || node.outerHTML));
    }
    const texts = [...svg.querySelectorAll('text')].map((node) => ({ node, box: node.getBoundingClientRect() }));
    texts.forEach(({ node, box }, at) => {
      const fill = luminance(getComputedStyle(node).fill);
      const contrast = (Math.max(fill, page) + 0.05) / (Math.min(fill, page) + 0.05);
      if (contrast < 4.5) faults.push(index + ' pale: ' + node.textContent);
      for (const { node: other, box: beside } of texts.slice(at + 1)) {
        const isBeside = box.right - 1 <= beside.left || beside.right - 1 <= box.left;
        const isAbove = box.bottom - 3 <= beside.top || beside.bottom - 3 <= box.top;
        if (!isBeside && !isAbove) faults.push(index + ' covers: ' + node.textContent + ' / ' + other.textContent);
      }
    });
  });
  return faults;
})()`;

requires('CHROMIUM_BIN', 'charts in a browser', (executablePath) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, 120_000);
  afterAll(() => browser.close());

  it.each(['light', 'dark'] as const)(
    'hold all their text and lines, legible and apart from one another: %s',
    async (theme) => {
      const page = await browser.newPage();
      for (const [name, chart] of Object.entries(chartsOf(theme))) {
        await page.setContent(chart);
        expect({ name, faults: await page.evaluate(FIND_FAULTS) }).toEqual({ name, faults: [] });
        const folder = process.env['CHARTS_OUT'];
        if (folder) await page.screenshot({ path: `${folder}/${theme}-${name}.png` });
      }
      await page.close();
    },
    120_000,
  );
});
