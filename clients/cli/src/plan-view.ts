import type { DriftView, PlanView, VersionDiffView } from '@armature/client';
import { cellOf, count, cut } from './output.js';
import { type Style, styled } from './terminal.js';

type Planned = PlanView['resources'][number];
type Change = Planned['diff'][number];

/** How what happens to a resource is marked, as users of Terraform know it. */
const MARKS = {
  delete: ['-', 'red', 'will be deleted'],
  prune: ['-', 'red', 'has left the design, and will be deleted'],
  replace: ['-/+', 'red', 'will be deleted and made anew'],
  update: ['~', 'yellow', 'will be changed'],
  create: ['+', 'green', 'will be created'],
  adopt: ['~', 'yellow', 'will be taken over as it is'],
  kept: [' ', 'dim', 'has left the design, and is kept'],
  unchanged: [' ', 'dim', 'is as it should be'],
} as const satisfies Record<string, readonly [string, Style, string]>;

type Mark = keyof typeof MARKS;
/** What takes something away comes first. */
const ORDER = Object.keys(MARKS) as Mark[];

function markOf({ action, replaces, adopts, kept }: Planned): Mark {
  if (kept !== null) return 'kept';
  if (replaces) return 'replace';
  if (adopts && action === 'unchanged') return 'adopt';
  return action;
}

/** Whether deploying the plan does anything; hooks of a chart run with every deployment. */
export const hasChanges = ({ resources, hooks }: PlanView): boolean =>
  hooks.length > 0 || resources.some((resource) => !['kept', 'unchanged'].includes(markOf(resource)));

interface Named {
  kind: string;
  name: string;
  namespace?: string | null;
}

export const labelOf = ({ kind, name, namespace }: Named): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

export interface PlanOptions {
  changesOnly: boolean;
  /** How the environment and its connections are called. */
  environment: string;
  requiredApprovals?: number;
  width: number;
}

/** A plan by resource, what is deleted first; the summary is its last line. */
export function renderPlan(plan: PlanView, options: PlanOptions): string {
  const { resources } = plan;
  const several = new Set(resources.map(({ connection_id }) => connection_id)).size > 1;
  const shown = resources
    .map((resource) => ({ resource, mark: markOf(resource) }))
    .filter(({ resource, mark }) => !options.changesOnly || mark !== 'unchanged' || resource.error)
    .sort((a, b) => ORDER.indexOf(a.mark) - ORDER.indexOf(b.mark));
  const blocks = shown.map(({ resource, mark }) => renderResource(resource, mark, several, options.width));
  return [...blocks, ...renderHooks(plan), ...renderConcerns(plan, options), renderSummary(plan, options)].join('\n');
}

function renderResource(resource: Planned, mark: Mark, several: boolean, width: number): string {
  const [sign, style, words] = MARKS[mark];
  const place = several ? ` on ${resource.connection_id}` : '';
  const lines = [styled(style, `${sign.padStart(3)} ${labelOf(resource)}${place} ${words}`)];
  if (mark === 'kept') lines.push(note(resource.kept ?? ''));
  if (mark !== 'create' && mark !== 'unchanged')
    lines.push(...resource.diff.map((change) => renderChange(change, width)));
  if (resource.error) lines.push(styled('red', `      ! ${describeFault(resource.error)}`));
  if (!resource.verified && !resource.error)
    lines.push(note('not tried on the cluster yet: its namespace or definition is made by this plan'));
  return [...lines, ...resource.warnings.map((warning) => styled('yellow', `      ! ${warning}`))].join('\n');
}

const note = (text: string): string => styled('dim', `      ${text}`);

function renderChange({ path, from, to }: Change, width: number): string {
  const [sign, style]: [string, Style] =
    from === undefined || from === null
      ? ['+', 'green']
      : to === undefined || to === null
        ? ['-', 'red']
        : ['~', 'yellow'];
  const values = sign === '+' ? quote(to) : sign === '-' ? quote(from) : `${quote(from)} -> ${quote(to)}`;
  return `      ${styled(style, sign)} ${cut(`${path}: ${values}`, Math.max(width - 8, 20))}`;
}

const quote = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : cellOf(value ?? null) || 'null';

export function describeFault(error: unknown): string {
  const { reason, code, field, detail, message } = error as Record<string, string | undefined>;
  return [reason ?? code, field, detail ?? message].filter(Boolean).join(': ');
}

function renderHooks({ hooks }: PlanView): string[] {
  if (hooks.length === 0) return [];
  const lines = hooks.map(
    (hook) =>
      `    ${hook.phase}  ${labelOf(hook)}${hook.error ? styled('red', `  ! ${describeFault(hook.error)}`) : ''}`,
  );
  return ['', styled('bold', 'Hooks, in this order'), ...lines];
}

function renderConcerns(plan: PlanView, { requiredApprovals = 0, environment }: PlanOptions): string[] {
  const lines: string[] = [];
  for (const { policy, mode, message, reason, ...resource } of plan.policy_violations) {
    const text = `policy ${policy} ${mode === 'enforce' ? 'forbids' : 'warns of'} ${labelOf(resource)}: ${message || (reason ?? '')}`;
    lines.push(styled(mode === 'enforce' ? 'red' : 'yellow', `  ! ${text}`));
  }
  if (!plan.quota.allowed)
    lines.push(styled('red', `  ! the quota of ${plan.quota.limit} deployments a day is used up`));
  for (const { resource, reason } of plan.kept)
    lines.push(styled('dim', `    ${labelOf(resource)} is kept: ${reason}`));
  lines.push(...plan.warnings.map((warning) => styled('yellow', `  ! ${warning}`)));
  if (requiredApprovals > 0)
    lines.push(
      `  ${environment} asks for ${count(requiredApprovals, 'admin')} of the workspace to approve; one who deploys counts.`,
    );
  return lines.length > 0 ? ['', ...lines] : [];
}

function renderSummary(plan: PlanView, { environment }: PlanOptions): string {
  const of = (...marks: Mark[]): number => plan.resources.filter((resource) => marks.includes(markOf(resource))).length;
  const replaced = of('replace');
  const figures = [
    `${of('create') + replaced} to create`,
    `${of('update', 'adopt')} to change`,
    `${of('delete', 'prune') + replaced} to delete`,
    `${of('unchanged')} unchanged`,
  ];
  const failing = plan.resources.filter(({ error }) => error).length;
  const end = plan.deployable
    ? []
    : [styled('red', `It cannot be deployed${failing > 0 ? `: ${count(failing, 'resource')} would be refused` : ''}.`)];
  return [
    '',
    styled('bold', `Plan for ${environment}: ${figures.join(', ')}.`),
    `Plan ${plan.plan_id} of version ${plan.design_version}.`,
    ...end,
  ].join('\n');
}

/** What differs from the design on the clusters. */
export function renderDrift({ status, resources, errors }: DriftView, width: number): string {
  const lines = resources
    .filter(({ status: own, extra }) => own !== 'in_sync' || extra.length > 0)
    .flatMap((resource) => [
      styled(
        resource.status === 'missing' ? 'red' : 'yellow',
        `  ${labelOf(resource)} is ${resource.status.replace('_', ' ')}`,
      ),
      ...(resource.changes as unknown as FieldDrift[]).map((field) => describeDrift('~', field, width)),
      ...(resource.extra as unknown as FieldDrift[]).map((field) => describeDrift('+', field, width)),
      ...(resource.detail ? [note(resource.detail)] : []),
    ]);
  const failed = errors.map((error) => styled('red', `  ! ${describeFault(error)}`));
  const word = { in_sync: 'in sync', drifted: 'drifted', unknown: 'unknown' }[status];
  const style = ({ in_sync: 'green', drifted: 'yellow', unknown: 'red' } as const)[status];
  return [...lines, ...failed, styled(style, `${count(resources.length, 'resource')}: ${word}.`)].join('\n');
}

interface FieldDrift {
  pointer: string;
  desired?: unknown;
  live?: unknown;
  manager?: string | null;
}

function describeDrift(sign: string, { pointer, desired, live, manager }: FieldDrift, width: number): string {
  const values = sign === '+' ? quote(live) : `${quote(desired)} -> ${quote(live)}`;
  const by = manager ? ` (by ${manager})` : '';
  return `      ${styled('yellow', sign)} ${cut(`${pointer}: ${values}${by}`, Math.max(width - 8, 20))}`;
}

/** How two versions of a design differ. */
export function renderDiff(diff: VersionDiffView, width: number): string {
  const changeLine = ({ pointer, from, to }: { pointer: string; from?: unknown; to?: unknown }): string =>
    renderChange({ path: pointer, from, to } as Change, width);
  const { counts } = diff;
  return [
    ...diff.removed.map((component) => styled('red', `  - ${labelOf(component)}`)),
    ...diff.changed.flatMap((component) => [
      styled('yellow', `  ~ ${labelOf(component)}`),
      ...component.changes.map(changeLine),
    ]),
    ...diff.added.map((component) => styled('green', `  + ${labelOf(component)}`)),
    ...diff.changes.map(changeLine),
    styled(
      'bold',
      `Version ${diff.from} to ${diff.to}: ${counts.added} added, ${counts.changed} changed, ${counts.removed} removed, ${counts.unchanged} unchanged.`,
    ),
  ].join('\n');
}
