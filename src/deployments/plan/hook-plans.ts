import { type HelmHook } from '../../formats/design-file/helm-hook.js';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type DefinedKind } from './definitions.js';
import { type DraftItems } from './draft-items.js';
import { kindRank } from './kind-order.js';
import { addHookLabel, FIELD_MANAGER } from './owner.js';
import { type PlanItem } from './plan-item.js';
import { type DesiredResource } from './planned-resource.js';
import { isWaitingForPlan } from './prerequisites.js';
import { isClusterFailure, toResourceError } from './resource-error.js';

/** The phases that run before and after an action, by Helm's names. */
export type HookPhases = readonly [before: string, after: string];

export const INSTALL_PHASES: HookPhases = ['pre-install', 'post-install'];
export const UPGRADE_PHASES: HookPhases = ['pre-upgrade', 'post-upgrade'];
export const ROLLBACK_PHASES: HookPhases = ['pre-rollback', 'post-rollback'];
export const DELETE_PHASES: HookPhases = ['pre-delete', 'post-delete'];

/** A hook of a chart that runs in a phase. */
export interface HookItem extends PlanItem {
  hook: HelmHook & { phase: string };
}

export interface PlannedHooks {
  before: HookItem[];
  after: HookItem[];
}

/** Selects and orders the hooks of a chart, and checks by a dry run whether the cluster accepts them. */
export class HookPlans {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly drafts: DraftItems,
    private readonly options: { force?: boolean; signal?: AbortSignal },
  ) {}

  async draft(
    resources: DesiredResource[],
    phases: HookPhases | undefined,
    defined: DefinedKind[],
  ): Promise<PlannedHooks> {
    const [before, after] = phases ?? [];
    return {
      before: await this.draftPhase(resources, before, defined),
      after: await this.draftPhase(resources, after, defined),
    };
  }

  /** An existing object with the name of a hook is deleted before the hook runs, so only hooks that do not exist can be tried. */
  async verify(hooks: HookItem[], items: PlanItem[]): Promise<void> {
    for (const { planned, desired, kind } of hooks) {
      if (planned.error || !desired || !kind) continue;
      if (!(await this.cluster.findKind(kind.apiVersion, kind.kind))) continue;
      const { name, namespace } = desired.metadata;
      const { signal, force } = this.options;
      try {
        if (await this.cluster.lookup(kind, name, namespace, signal)) continue;
        const answer = await this.cluster.apply(kind, desired, {
          fieldManager: FIELD_MANAGER,
          force,
          dryRun: true,
          signal,
        });
        Object.assign(planned, { verified: true, warnings: answer.warnings });
      } catch (error) {
        if (!(error instanceof ClusterError) || isClusterFailure(error)) throw error;
        const refusal = toResourceError(error, desired);
        if (!isWaitingForPlan(planned, refusal, [...items, ...hooks])) planned.error = refusal;
      }
    }
  }

  private async draftPhase(
    resources: DesiredResource[],
    phase: string | undefined,
    defined: DefinedKind[],
  ): Promise<HookItem[]> {
    if (phase === undefined) return [];
    const items: HookItem[] = [];
    for (const resource of resources) {
      const { hook } = resource;
      if (!hook?.events.includes(phase)) continue;
      const { planned, desired, ...item } = await this.drafts.draft(resource, defined);
      const named = { ...planned, hook: phase };
      items.push({
        ...item,
        planned: named,
        desired: desired && addHookLabel(desired, phase),
        hook: { ...hook, phase },
      });
    }
    return items.sort(
      (a, b) =>
        a.hook.weight - b.hook.weight ||
        rankOf(a) - rankOf(b) ||
        (a.planned.name < b.planned.name ? -1 : Number(a.planned.name > b.planned.name)),
    );
  }
}

const rankOf = ({ kind, planned }: PlanItem): number => kindRank(kind ?? { group: '', kind: planned.kind });
