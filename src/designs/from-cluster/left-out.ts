import {
  groupOf,
  type KubernetesObject,
  type ManagedFields,
  managedFieldsOf,
  type ObjectMetadata,
} from '../../kubernetes/clusters/kubernetes-object.js';
import { findAppliedFields, parseOwnerLabels } from '../../kubernetes/clusters/owner-labels.js';
import { isSystemObject } from '../../kubernetes/clusters/system-objects.js';
import { isBuiltIn } from '../../validation/native/built-in-groups.js';

export const LEFT_OUT_CODES = [
  'OWNED',
  'GENERATED',
  'ARGOCD',
  'FLUX',
  'HELM',
  'HELM_RELEASE_BROKEN',
  'OPERATOR',
  'OWNED_HERE',
  'NOT_READABLE',
  'DEFINITION',
] as const;
export type LeftOutCode = (typeof LEFT_OUT_CODES)[number];

/** What manages an object. */
export interface Manager {
  api_version: string | null;
  kind: string;
  namespace: string | null;
  name: string;
}

/** Why an object becomes part of no design. */
export interface LeftOutReason {
  code: LeftOutCode;
  reason: string;
  owner?: Manager;
}

/** What an import with `include_owned` takes in all the same. */
const INCLUDABLE: readonly LeftOutCode[] = ['ARGOCD', 'FLUX', 'OPERATOR'];

export const isIncludable = ({ code }: LeftOutReason): boolean => INCLUDABLE.includes(code);

/** Managers that are parts of a cluster: what only they have written, the cluster has made. */
const CLUSTER_MANAGERS = /^(?:kube-|kubelet$|cloud-controller-manager$|kwok)/;
const OPERATOR_MANAGERS = /(?:operator|controller)(?:-manager)?$/i;

/** Whether an entry says what a person or a tool wants of the object; scaling is an author's wish, a status nobody's. */
export const isOfAuthor = ({ manager = '', subresource }: ManagedFields): boolean =>
  (!subresource || subresource === 'scale') && !CLUSTER_MANAGERS.test(manager);

/** Why an object is left out; undefined for one that an author has put there. */
export function findReasonToLeaveOut(object: KubernetesObject): LeftOutReason | undefined {
  return (
    findOwner(object) ??
    findDeploymentHere(object) ??
    findArgoCd(object) ??
    findFlux(object) ??
    findHelm(object) ??
    findGenerated(object) ??
    findOperator(object)
  );
}

function findOwner({ metadata }: ObjectMetadata): LeftOutReason | undefined {
  const { ownerReferences: owners = [], namespace = null } = metadata;
  const owner = owners.find(({ controller }) => controller) ?? owners[0];
  if (!owner) return undefined;
  const { apiVersion, kind, name } = owner;
  const isByCluster = isBuiltIn(apiVersion);
  return {
    code: isByCluster ? 'OWNED' : 'OPERATOR',
    reason: `${kind} ${name} owns it${isByCluster ? '' : ', and its operator writes it'}`,
    owner: { api_version: apiVersion, kind, namespace, name },
  };
}

function findDeploymentHere(object: ObjectMetadata): LeftOutReason | undefined {
  const owner = parseOwnerLabels(object);
  if (!owner || !findAppliedFields(object)) return undefined;
  return { code: 'OWNED_HERE', reason: 'it is deployed as part of a design already' };
}

const ARGO_MANAGERS = /^argocd-/;
const ARGO_ID = 'argocd.argoproj.io/tracking-id';
const ARGO_INSTANCE = 'argocd.argoproj.io/instance';
const INSTANCE = 'app.kubernetes.io/instance';

/** Controllers copy labels and annotations, so a tracking id counts only where it names this object, and a label only where Argo CD has written. */
function findArgoCd(object: ObjectMetadata): LeftOutReason | undefined {
  const { apiVersion, kind, metadata } = object;
  const { labels = {}, annotations = {}, namespace = '', name } = metadata;
  const [application, tracked] = splitAtFirst(annotations[ARGO_ID] ?? '', ':');
  const isTracked = tracked === `${groupOf(apiVersion)}/${kind}:${namespace}/${name}`;
  const isWritten = managedFieldsOf(object).some(({ manager = '' }) => ARGO_MANAGERS.test(manager));
  const labelled = labels[ARGO_INSTANCE] ?? (isWritten ? labels[INSTANCE] : undefined);
  const found = isTracked ? application : labelled;
  if (found === undefined && !isWritten) return undefined;
  const [inNamespace, named] = splitAtFirst(found ?? '', '_');
  return {
    code: 'ARGOCD',
    reason: `Argo CD keeps it as it is in the source of ${found ? `the application ${found}` : 'an application'}`,
    ...(found && {
      owner: {
        api_version: 'argoproj.io/v1alpha1',
        kind: 'Application',
        namespace: named === undefined ? null : (inNamespace ?? null),
        name: named ?? found,
      },
    }),
  };
}

const FLUX_OWNERS = [
  { prefix: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' },
  { prefix: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease' },
] as const;

function findFlux({ metadata }: ObjectMetadata): LeftOutReason | undefined {
  const { labels = {}, namespace } = metadata;
  for (const { prefix, kind } of FLUX_OWNERS) {
    const name = labels[`${prefix}/name`];
    if (name === undefined) continue;
    const owner = { api_version: null, kind, namespace: labels[`${prefix}/namespace`] ?? namespace ?? null, name };
    return { code: 'FLUX', reason: `Flux keeps it as the ${kind} ${name} says`, owner };
  }
  return undefined;
}

const RELEASE_TYPE = 'helm.sh/release.v1';

function findHelm({ type, kind, metadata }: KubernetesObject): LeftOutReason | undefined {
  const { labels = {}, annotations = {}, namespace = null } = metadata;
  const isRecord = type === RELEASE_TYPE || (kind === 'ConfigMap' && labels['owner'] === 'helm');
  const name = isRecord ? labels['name'] : annotations['meta.helm.sh/release-name'];
  if (name === undefined && !isRecord) return undefined;
  return {
    code: 'HELM',
    reason: isRecord ? 'Helm keeps the history of a release in it' : `it is a part of the Helm release ${name}`,
    ...(name !== undefined && {
      owner: {
        api_version: null,
        kind: 'HelmRelease',
        namespace: isRecord ? namespace : (annotations['meta.helm.sh/release-namespace'] ?? namespace),
        name,
      },
    }),
  };
}

const TOKEN_TYPES = new Set<unknown>(['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token']);

function findGenerated(object: KubernetesObject): LeftOutReason | undefined {
  if (isSystemObject(object)) return { code: 'GENERATED', reason: 'the control plane creates it in every namespace' };
  if (object.kind === 'Secret' && TOKEN_TYPES.has(object['type']))
    return { code: 'GENERATED', reason: 'the cluster issues the token in it' };
  const entries = managedFieldsOf(object);
  if (entries.length === 0 || entries.some(isOfAuthor)) return undefined;
  return { code: 'GENERATED', reason: `only ${entries[0]?.manager ?? 'the cluster'} has written it` };
}

const CERTIFICATE = 'cert-manager.io/certificate-name';

function findOperator(object: ObjectMetadata): LeftOutReason | undefined {
  const { labels = {}, annotations = {}, namespace = null } = object.metadata;
  const certificate = object.kind === 'Secret' ? annotations[CERTIFICATE] : undefined;
  if (certificate !== undefined)
    return {
      code: 'OPERATOR',
      reason: `cert-manager keeps the Certificate ${certificate} in it`,
      owner: { api_version: null, kind: 'Certificate', namespace, name: certificate },
    };
  const by =
    labels['olm.owner'] ?? [labels['app.kubernetes.io/managed-by']].find((one) => /operator$/i.test(one ?? ''));
  const authors = managedFieldsOf(object).filter(isOfAuthor);
  const [first] = authors;
  const isWritten = first !== undefined && authors.every(({ manager = '' }) => OPERATOR_MANAGERS.test(manager));
  const operator = by ?? (isWritten ? first.manager : undefined);
  return operator === undefined ? undefined : { code: 'OPERATOR', reason: `${operator} manages it` };
}

function splitAtFirst(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}
