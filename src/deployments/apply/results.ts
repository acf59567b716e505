import { type PlanItem } from '../plan/plan.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { type ResourceResult, type ResourceStatus, toSkippedResult, type RunOptions } from './resource-result.js';

type Subject = Pick<PlanItem, 'planned'>;

/** What became of each resource so far. */
export class ResourceResults {
  private readonly byItem: Map<Subject, ResourceResult>;
  private readonly touched = new Set<Subject>();

  constructor(
    items: Subject[],
    private readonly onProgress: RunOptions['onProgress'],
  ) {
    this.byItem = new Map(items.map((item) => [item, toSkippedResult(item.planned)]));
  }

  get all(): ResourceResult[] {
    return [...this.byItem.values()];
  }

  get anyFailed(): boolean {
    return this.all.some(({ status }) => status === 'failed');
  }

  has(item: Subject, status: ResourceStatus): boolean {
    return this.statusOf(item) === status;
  }

  statusOf(item: Subject): ResourceStatus {
    return this.byItem.get(item)?.status ?? 'skipped';
  }

  async set(item: Subject, { status, error }: { status: ResourceStatus; error?: ResourceError }): Promise<void> {
    const result = this.byItem.get(item);
    if (!result) return;
    Object.assign(result, { status, ...(error && { error }) });
    this.touched.add(item);
    await this.onProgress?.({ ...result }, this.touched.size, this.byItem.size);
  }

  /** Names what failed, as `Deployment shop/web: …`. */
  summary(): string {
    const failed = this.all.filter(({ status }) => status === 'failed');
    const told = failed
      .slice(0, 3)
      .map(
        ({ kind, namespace, name, error }) =>
          `${kind} ${namespace ? `${namespace}/` : ''}${name}: ${error?.detail ?? 'failed'}`,
      );
    return failed.length > 3 ? `${told.join('; ')}; and ${failed.length - 3} more` : told.join('; ');
  }
}
