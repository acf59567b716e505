import { type DesignComponent } from './design-file.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../core/json/json.js';

/** The hook of a chart resource that is not part of the installed release: `metadata.helm.hook` of its component. */
export interface HelmHook {
  /** `pre-install`, `post-upgrade`, `test` … */
  events: string[];
  /** Hooks of one event run by weight, lowest first. */
  weight: number;
  /** `before-hook-creation`, `hook-succeeded`, `hook-failed`. */
  delete_policies: string[];
}

/** The hook that the annotations of a resource define. */
export function parseHelmHook(resource: JsonObject): HelmHook | undefined {
  const annotations = asObject(asObject(resource['metadata'])['annotations']);
  const events = splitList(annotations['helm.sh/hook']);
  if (events.length === 0) return undefined;
  const weight = Number(annotations['helm.sh/hook-weight'] ?? 0);
  return {
    events,
    weight: Number.isInteger(weight) ? weight : 0,
    delete_policies: splitList(annotations['helm.sh/hook-delete-policy']),
  };
}

/** The hook of a component, or undefined for a regular resource of the chart. */
export function getHelmHook({ metadata }: DesignComponent): HelmHook | undefined {
  const { hook } = asObject(metadata['helm']);
  if (!isObject(hook)) return undefined;
  const { events, weight, delete_policies } = hook;
  return {
    events: filterTexts(events),
    weight: typeof weight === 'number' ? weight : 0,
    delete_policies: filterTexts(delete_policies),
  };
}

/** A file of `crds/` of a chart, or of a chart that it depends on. */
export const CRDS_FILE = /^(?:charts\/[^/]+\/)*crds\//;

/**
 * Whether a component comes from the folder `crds/` of a chart. Helm creates such definitions where they are missing, and never changes
 * or deletes them, because several releases may use one.
 */
export function isChartDefinition({ metadata }: DesignComponent): boolean {
  return CRDS_FILE.test(asText(asObject(metadata['helm'])['template']));
}

/** Hook events that a deployment runs. Helm runs the others when a chart is tested, deleted or rolled back. */
const INSTALL_EVENTS = ['pre-install', 'post-install', 'pre-upgrade', 'post-upgrade'];

/** Whether installing or upgrading the chart creates it: everything except hooks for other events only. */
export function isInstalled(component: DesignComponent): boolean {
  const hook = getHelmHook(component);
  return hook === undefined || hook.events.some((event) => INSTALL_EVENTS.includes(event));
}

/** Whether a component is for `helm test` only. */
export function isTestHook(component: DesignComponent): boolean {
  const events = getHelmHook(component)?.events ?? [];
  return events.length > 0 && events.every((event) => event.startsWith('test'));
}

function splitList(value: Json | undefined): string[] {
  return asText(value)
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function filterTexts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
