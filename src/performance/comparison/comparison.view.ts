import {
  MapField,
  MapsField,
  NumberField,
  NumbersField,
  RecordField,
  TextsField,
  TextField,
  IdField,
  TimeField,
  WordField,
} from '../../core/schema/view-fields.js';
import type { Summary } from '../load/runner-results.js';
import type { PerformanceRun } from '../runs/run.entity.js';
import { FIGURES } from './figures.js';
import { SummaryView } from '../load/figures.view.js';
import { type FigureComparison, type Verdict, VERDICTS } from './compare.js';
import type { ComparedRuns } from './comparisons.service.js';

const REST = { rest: true } as const;

/** One of the two results. */
export class ComparedResultView {
  @IdField(REST)
  id!: string;

  @TextField(REST)
  name!: string;

  @TimeField({ ...REST, nullable: true, description: 'When the load began.' })
  test_start_time!: Date | null;

  @MapField({ ...REST, of: () => SummaryView, nullable: true, description: 'The figures.' })
  summary!: Summary | null;

  static fromEntity(this: void, { id, name, testStartTime, summary }: PerformanceRun): ComparedResultView {
    return Object.assign(new ComparedResultView(), { id, name, test_start_time: testStartTime, summary });
  }
}

class FigureComparisonView implements FigureComparison {
  @WordField([...FIGURES.map(({ name }) => name), 'stalled_share'], REST)
  name!: FigureComparison['name'];

  @NumberField(REST)
  a!: number;

  @NumberField(REST)
  b!: number;

  @NumberField({ ...REST, description: 'b minus a.' })
  difference!: number;

  @NumberField({ ...REST, nullable: true, description: 'The difference as a fraction of a; null when a is 0.' })
  relative!: number | null;

  @NumbersField({ ...REST, description: 'The least and the greatest difference of the interval.' })
  interval!: [number, number];

  @WordField(VERDICTS, REST)
  verdict!: Verdict;
}

export class ComparisonView {
  @RecordField(() => ComparedResultView, { ...REST, description: 'The baseline result.' })
  a!: ComparedResultView;

  @RecordField(() => ComparedResultView, { ...REST, description: 'The result that is compared to a.' })
  b!: ComparedResultView;

  @WordField(VERDICTS, {
    ...REST,
    description: 'Whether b is better or worse than a; it is worse when any of the figures is.',
  })
  verdict!: Verdict;

  @NumberField({ ...REST, description: 'The probability with which a difference lies within its interval.' })
  confidence!: number;

  @MapsField({
    ...REST,
    of: () => FigureComparisonView,
    description:
      'For each figure a, b, their difference, its interval of 95 % by bootstrap, and the verdict on it, which asks for 99 %.',
  })
  figures!: FigureComparison[];

  @TextsField({ ...REST, description: 'What the two runs were not asked alike, such as `rate`.' })
  plan_differences!: string[];

  @TextsField({ ...REST, description: 'Why a difference may come from how the runs were made, not from the server.' })
  warnings!: string[];

  static fromComparison(this: void, { a, b, comparison, planDifferences, warnings }: ComparedRuns): ComparisonView {
    return Object.assign(new ComparisonView(), {
      ...comparison,
      confidence: 0.95,
      a: ComparedResultView.fromEntity(a),
      b: ComparedResultView.fromEntity(b),
      plan_differences: planDifferences,
      warnings,
    });
  }
}
