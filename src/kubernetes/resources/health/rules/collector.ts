import type { KubernetesObject } from '../../../clusters/kubernetes-object.js';
import type { Judgement } from '../health-status.js';

/** An OpenTelemetryCollector, whose only state is a text such as `1/2`. */
export function judgeCollector({ spec, status }: KubernetesObject): Judgement {
  const { mode } = (spec ?? {}) as { mode?: string };
  const { scale } = (status ?? {}) as { scale?: { statusReplicas?: unknown } };
  const replicas = scale?.statusReplicas;
  if (typeof replicas !== 'string') {
    // A sidecar has no workload of its own.
    if (mode === 'sidecar' && status) return { status: 'Healthy', message: null };
    return { status: 'Progressing', message: 'Its controller has not reported its state yet' };
  }
  const [ready = NaN, wanted = NaN] = replicas.split('/').map(Number);
  const message = `${replicas} replicas are ready`;
  if (Number.isNaN(ready) || Number.isNaN(wanted)) return { status: 'Progressing', message };
  if (ready === wanted && (ready > 0 || mode === 'daemonset')) return { status: 'Healthy', message: null };
  return { status: ready === 0 ? 'Degraded' : 'Progressing', message };
}
