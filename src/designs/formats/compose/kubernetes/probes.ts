import type { JsonObject } from '../../../../core/json/json.js';
import { parseSeconds } from '../quantities.js';
import { definedMembers, type ServiceConversion, parseWholeNumber } from './conversion.js';
import { splitShellWords } from '../shell-words.js';

/** `livenessProbe` from the health check, either probe also from `kompose.service.healthcheck.*` labels. */
export function buildProbes(conversion: ServiceConversion): JsonObject {
  return definedMembers({ livenessProbe: liveness(conversion), readinessProbe: readiness(conversion) });
}

function liveness(conversion: ServiceConversion): JsonObject | undefined {
  const check = conversion.service.healthcheck;
  if (check?.disable) return undefined;
  const [kind, ...words] = check?.test ?? [];
  const labelled = handlerOf(conversion, 'liveness');
  const action =
    labelled ?? (kind === 'CMD' && words.length > 0 ? execute(words) : kind === 'CMD-SHELL' ? shell(words) : undefined);
  if (kind !== undefined && !['NONE', 'CMD', 'CMD-SHELL'].includes(kind)) {
    conversion.fault(
      ['healthcheck', 'test'],
      `the test begins with "${kind.slice(0, 80)}"`,
      'Begin it with CMD, CMD-SHELL or NONE.',
    );
  }
  if (!action) {
    if (check && kind !== 'NONE') conversion.keepInComponent('healthcheck');
    return undefined;
  }
  return {
    ...action,
    ...timing(check?.interval ?? '30s', check?.timeout ?? '30s', check?.retries ?? 3, check?.start_period),
  };
}

function readiness(conversion: ServiceConversion): JsonObject | undefined {
  const of = (key: string): string | undefined => conversion.label(`kompose.service.healthcheck.readiness.${key}`);
  if (of('disable') === 'true') return undefined;
  const test = of('test');
  const words =
    test === undefined
      ? undefined
      : /^CMD-SHELL\s/.test(test)
        ? ['/bin/sh', '-c', test.slice(10)]
        : splitShellWords(test);
  const action = handlerOf(conversion, 'readiness') ?? (words?.length ? execute(words) : undefined);
  if (!action) return undefined;
  return {
    ...action,
    ...timing(of('interval') ?? '30s', of('timeout') ?? '30s', of('retries') ?? 3, of('start_period')),
  };
}

function handlerOf(conversion: ServiceConversion, probe: 'liveness' | 'readiness'): JsonObject | undefined {
  const prefix = `kompose.service.healthcheck.${probe}`;
  const path = conversion.label(`${prefix}.http_get_path`);
  const portLabel = [`${prefix}.http_get_port`, `${prefix}.tcp_port`].find(
    (label) => conversion.label(label) !== undefined,
  );
  if (portLabel === undefined) return undefined;
  const port = parseWholeNumber(conversion.label(portLabel), 1);
  if (port === undefined || port > 65_535) {
    conversion.labelFault(portLabel, 'a port from 1 to 65535');
    return undefined;
  }
  return portLabel.endsWith('http_get_port') ? { httpGet: { path: path ?? '/', port } } : { tcpSocket: { port } };
}

function timing(interval: string, timeout: string, retries: number | string, start: string | undefined): JsonObject {
  const least = (text: string): number => Math.max(1, Math.ceil(parseSeconds(text) ?? 30));
  const wait = start === undefined ? 0 : Math.ceil(parseSeconds(start) ?? 0);
  return definedMembers({
    periodSeconds: least(interval),
    timeoutSeconds: least(timeout),
    failureThreshold: parseWholeNumber(retries, 1) ?? 3,
    initialDelaySeconds: wait > 0 ? wait : undefined,
  });
}

function execute(command: string[]): JsonObject {
  return { exec: { command } };
}

function shell(words: string[]): JsonObject | undefined {
  const line = words.join(' ').trim();
  return line === '' ? undefined : execute(['/bin/sh', '-c', line]);
}
