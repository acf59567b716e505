import { isObject } from '../../core/json/json.js';
import { groupOf, type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

/** Kinds of which the cluster deletes an object `ttlSecondsAfterFinished` after its end, as `Kind.group`. */
const FINISHING = ['Job.batch', 'JobSet.jobset.x-k8s.io', 'Job.batch.volcano.sh'];

/** Whether the cluster deletes the object by itself after its end, so that one that is gone has run. */
export const isDeletedAfterEnd = ({ apiVersion, kind, spec }: KubernetesObject): boolean =>
  FINISHING.includes(`${kind}.${groupOf(apiVersion)}`) &&
  isObject(spec) &&
  typeof spec['ttlSecondsAfterFinished'] === 'number';
