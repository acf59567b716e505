import { describeObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { type DesignSecrets } from '../plan/design-secrets.js';
import { type RunEnd, toRunEnd } from './run-end.js';
import { type PlanItem } from '../plan/plan-item.js';
import { type ResourceError } from '../plan/planned-resource.js';
import {
  type ResourceResult,
  type ResourceStatus,
  toPendingResult,
  toSettled,
  type RunOptions,
} from './resource-result.js';

type Subject = Pick<PlanItem, 'planned'>;

interface ResourceChange {
  status: ResourceStatus;
  message?: string;
  error?: ResourceError;
}

/** The current results of all resources. */
export class ResourceResults {
  private readonly byItem: Map<Subject, ResourceResult>;
  private readonly done = new Set<Subject>();

  constructor(
    items: Subject[],
    private readonly onProgress: RunOptions['onProgress'],
    private readonly secrets: DesignSecrets,
  ) {
    this.byItem = new Map(items.map((item) => [item, toPendingResult(item.planned)]));
  }

  /** The results as they remain when the run stops now. */
  get all(): ResourceResult[] {
    return [...this.byItem.values()].map(toSettled);
  }

  get anyFailed(): boolean {
    return [...this.byItem.values()].some(({ status }) => status === 'failed');
  }

  has(item: Subject, status: ResourceStatus): boolean {
    return this.byItem.get(item)?.status === status;
  }

  async set(item: Subject, { status, message, error }: ResourceChange): Promise<void> {
    const result = this.byItem.get(item);
    if (!result) return;
    const { message: _, ...before } = result;
    const now = {
      ...before,
      status,
      ...(message !== undefined && { message: this.secrets.hideInMessage(message) }),
      ...(error && { error: this.secrets.hideInError(error) }),
    };
    this.byItem.set(item, now);
    if (status === 'waiting' || status === 'deleting') this.done.delete(item);
    else this.done.add(item);
    const resources = () => [...this.byItem.values()];
    await this.onProgress?.(now, { done: this.done.size, total: this.byItem.size, resources });
  }

  /** What ended the run, without secret values. */
  endOf(error: unknown): RunEnd {
    const end = toRunEnd(error, () => this.summary());
    return { ...end, detail: this.secrets.hideInMessage(end.detail) };
  }

  /** Lists the failed resources, as `Deployment shop/web: …`. */
  private summary(): string {
    const failed = this.all.filter(({ status }) => status === 'failed');
    const details = failed
      .slice(0, 3)
      .map((resource) => `${describeObject(resource)}: ${resource.error?.detail ?? 'failed'}`);
    return failed.length > 3 ? `${details.join('; ')}; and ${failed.length - 3} more` : details.join('; ');
  }
}
