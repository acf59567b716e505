import type { JsonObject } from '../../../../core/json/json.js';
import { type ComposeDevices } from '../project.js';
import { parseBytes, toCpuQuantity, toMemoryQuantity } from '../quantities.js';
import { definedMembers, type ServiceConversion, parseWholeNumber } from './conversion.js';

const quantity = /^\d+(\.\d+)?([EPTGMk]i?|m|Ki)?$/;

/** Limits and requests of processors, memory, ephemeral storage and GPUs. */
export function buildResources(conversion: ServiceConversion): JsonObject {
  const { service } = conversion;
  const { limits, reservations } = service.deploy?.resources ?? {};
  const gpus = gpusOf(conversion, [
    ...(service.gpus ?? []),
    ...(reservations?.devices ?? []),
    ...(limits?.devices ?? []),
  ]);
  if (limits?.pids !== undefined) conversion.keepInComponent('deploy.resources.limits.pids');
  return definedMembers({
    limits: definedMembers({
      cpu: cpu(limits?.cpus ?? service.cpus ?? cpuOfQuota(conversion)),
      memory: memory(limits?.memory ?? service.mem_limit),
      'ephemeral-storage': storage(conversion, 'kompose.ephemeral-storage.limit'),
      'nvidia.com/gpu': gpus,
    }),
    requests: definedMembers({
      cpu: cpu(reservations?.cpus),
      memory: memory(reservations?.memory ?? service.mem_reservation),
      'ephemeral-storage': storage(conversion, 'kompose.ephemeral-storage.request'),
    }),
  });
}

function cpu(cpus: string | number | undefined): string | undefined {
  const number = Number(cpus ?? 0);
  return Number.isFinite(number) && number > 0 ? toCpuQuantity(number) : undefined;
}

function cpuOfQuota({ service }: ServiceConversion): number | undefined {
  const quota = parseWholeNumber(service.cpu_quota, 1);
  return quota === undefined ? undefined : quota / (parseWholeNumber(service.cpu_period, 1) ?? 100_000);
}

function memory(size: string | number | undefined): string | undefined {
  const bytes = size === undefined ? undefined : parseBytes(size);
  return bytes === undefined || bytes === 0 ? undefined : toMemoryQuantity(bytes);
}

function storage(conversion: ServiceConversion, label: string): string | undefined {
  const value = conversion.label(label);
  if (value === undefined || quantity.test(value)) return value;
  conversion.labelFault(label, 'a quantity such as 1Gi');
  return undefined;
}

function gpusOf(conversion: ServiceConversion, devices: readonly ComposeDevices[]): string | undefined {
  let count = 0;
  for (const device of devices) {
    const wanted = device.device_ids?.length ?? parseWholeNumber(device.count, 1);
    const isGpu = (device.capabilities ?? ['gpu']).includes('gpu') && (device.driver ?? 'nvidia') === 'nvidia';
    if (isGpu && wanted !== undefined) count += wanted;
    else conversion.keepInComponent(conversion.service.gpus ? 'gpus' : 'deploy.resources.reservations.devices');
  }
  return count === 0 ? undefined : String(count);
}
