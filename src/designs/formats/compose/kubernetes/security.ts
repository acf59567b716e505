import type { Json, JsonObject } from '../../../../core/json/json.js';
import { definedMembers, type ServiceConversion, parseWholeNumber } from './conversion.js';

const MAX_ID = 2_147_483_647;

/** Sysctls that a node allows by default (Kubernetes documentation, "Safe and unsafe sysctls"). */
const safeSysctls = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

/** `securityContext` of the container: user, capabilities, privileges. */
export function buildContainerSecurity(conversion: ServiceConversion): JsonObject {
  const { service } = conversion;
  const add = (service.cap_add ?? []).map(capability);
  const options = new Map((service.security_opt ?? []).map((option) => pair(option)));
  const locked = options.get('no-new-privileges') !== undefined && options.get('no-new-privileges') !== 'false';
  const raised = service.privileged === true || add.some((name) => name === 'SYS_ADMIN' || name === 'ALL');
  for (const [key, value] of options) {
    const mapped = key === 'no-new-privileges' ? !(locked && raised) : isProfile(key) && value === 'unconfined';
    if (!mapped) conversion.keepInComponent('security_opt');
  }
  return definedMembers({
    privileged: service.privileged || undefined,
    allowPrivilegeEscalation: locked && !raised ? false : undefined,
    readOnlyRootFilesystem: service.read_only || undefined,
    capabilities: definedMembers({ add, drop: (service.cap_drop ?? []).map(capability) }),
    seccompProfile: options.get('seccomp') === 'unconfined' ? { type: 'Unconfined' } : undefined,
    appArmorProfile: options.get('apparmor') === 'unconfined' ? { type: 'Unconfined' } : undefined,
    ...userOf(conversion),
  });
}

/** `securityContext` of the pod: groups and sysctls. */
export function buildPodSecurity(conversion: ServiceConversion): JsonObject {
  const { service } = conversion;
  const groups = (service.group_add ?? []).flatMap((group) => idOf(String(group)) ?? []);
  if (groups.length < (service.group_add ?? []).length)
    conversion.keepInComponent('group_add', 'groups by name are kept; Kubernetes takes numbers only');
  const sysctls: Json[] = [];
  for (const [name, value] of Object.entries(service.sysctls ?? {})) {
    const shared = service.network_mode === 'host' && name.startsWith('net.');
    if (safeSysctls.has(name) && !shared && !(service.ipc === 'host' && name.startsWith('kernel.')))
      sysctls.push({ name, value });
    else conversion.keepInComponent('sysctls');
  }
  const label = conversion.label('kompose.security-context.fsgroup');
  const fsGroup = label === undefined ? undefined : idOf(label);
  if (label !== undefined && fsGroup === undefined)
    conversion.labelFault('kompose.security-context.fsgroup', 'a group number');
  return definedMembers({ fsGroup, supplementalGroups: groups, sysctls });
}

function userOf(conversion: ServiceConversion): { runAsUser?: number; runAsGroup?: number } {
  const { user } = conversion.service;
  if (user === undefined || user === '') return {};
  const [name = '', group] = user.split(':');
  const runAsUser = idOf(name);
  const runAsGroup = group === undefined ? undefined : idOf(group);
  const root = name === 'root' && group === undefined;
  if (root) return { runAsUser: 0 };
  if (runAsUser === undefined || (group !== undefined && runAsGroup === undefined)) {
    conversion.keepInComponent(
      'user',
      `the user "${user.slice(0, 80)}" is kept; Kubernetes takes numbers only`,
      'Write user: "1000:1000".',
    );
  }
  return { ...(runAsUser === undefined ? {} : { runAsUser }), ...(runAsGroup === undefined ? {} : { runAsGroup }) };
}

function idOf(text: string): number | undefined {
  const id = /^\d+$/.test(text) ? parseWholeNumber(text) : undefined;
  return id !== undefined && id <= MAX_ID ? id : undefined;
}

function capability(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, '');
}

function pair(option: string): [string, string] {
  const at = option.search(/[:=]/);
  return at < 0 ? [option, 'true'] : [option.slice(0, at), option.slice(at + 1)];
}

function isProfile(key: string): boolean {
  return key === 'seccomp' || key === 'apparmor';
}
