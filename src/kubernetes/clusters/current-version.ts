import { groupOf } from './kubernetes-object.js';

/** Groups to which the kinds of `extensions`, the first group of all, have moved. */
const SUCCESSORS: Record<string, readonly string[]> = { extensions: ['apps', 'networking.k8s.io', 'policy'] };

/** The version in which a kind is known now: the highest stable one of its group; undefined when its group has none of them. */
export function findCurrentVersion(apiVersion: string, known: readonly string[]): string | undefined {
  const groups = [groupOf(apiVersion), ...(SUCCESSORS[groupOf(apiVersion)] ?? [])];
  const candidates = known.filter((one) => one !== apiVersion && groups.includes(groupOf(one)));
  return candidates.sort((a, b) => rankOf(b) - rankOf(a))[0];
}

export const writeVersionRemedy = (apiVersion: string): string =>
  `Write apiVersion ${apiVersion}, and check the fields that differ between the versions.`;

const STAGES = ['alpha', 'beta', ''];

/** As Kubernetes orders versions: v2, v1, v1beta2, v1beta1, v1alpha1. */
function rankOf(apiVersion: string): number {
  const [, major = '0', stage = '', minor = '0'] =
    /(?:^|\/)v(\d{1,4})(?:(alpha|beta)(\d{1,4}))?$/.exec(apiVersion) ?? [];
  return STAGES.indexOf(stage) * 1e8 + Number(major) * 1e4 + Number(minor);
}
