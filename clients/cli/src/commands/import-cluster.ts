import type { ClusterImportView } from '@armature/client';
import { faultLine, WrongUse } from '../failure.js';
import { tableOf } from '../output.js';
import type { Run } from '../run.js';

export interface ClusterFlags {
  fromCluster?: string;
  namespace?: string[];
  selector?: string;
  kind?: string[];
  includeOwned?: boolean;
  preview?: boolean;
}

/** Makes designs of what runs in namespaces of a cluster, or shows which ones that would be. */
export async function importFromCluster(run: Run, flags: ClusterFlags, connection: string): Promise<void> {
  const { namespace: namespaces, selector, kind: kinds, includeOwned: include_owned, preview } = flags;
  if (!namespaces)
    throw new WrongUse('import --from-cluster needs --namespace', 'Name one or more, or write --namespace all.');
  const session = await run.session();
  const workspace = await session.requireWorkspace();
  const query = { orgID: await session.organizationId() };
  const { id } = await session.find('connection', connection, 'listConnections', { query });
  const imported = (await session.armature.importDesign({
    body: {
      connection_id: id,
      workspace_id: workspace.id,
      namespaces: namespaces.includes('all') ? 'all' : namespaces,
      ...{ selector, kinds, include_owned, preview },
    },
  })) as ClusterImportView;
  const { designs, left_out: leftOut, counts, warnings } = imported;
  for (const warning of warnings) run.terminal.say(`! ${faultLine(warning)}`);
  for (const design of designs)
    for (const warning of design.warnings) run.terminal.say(`! ${design.name}: ${faultLine(warning)}`);
  const codes = new Map<string, number>();
  for (const { code } of leftOut) codes.set(code, (codes.get(code) ?? 0) + 1);
  const why = [...codes].map(([code, count]) => `${count} ${code}`).join(', ');
  run.terminal.say(
    `${preview ? 'Would make' : 'Made'} ${counts.designs} designs of ${counts.resources} objects in workspace ${workspace.name}.` +
      (leftOut.length > 0 ? ` Left out: ${why}.` : ''),
  );
  await run.output.show(imported, {
    table: (record) =>
      tableOf(
        record.designs,
        [
          ['NAMESPACE', ({ namespace }) => namespace],
          ['DESIGN', ({ name }) => name],
          ['OBJECTS', ({ resources }) => resources.map(({ kind, name }) => `${kind}/${name}`).join(' ')],
          ['REASON', ({ reason }) => reason],
        ],
        run.terminal.width,
      ),
    name: (record) => record.designs.map(({ id: own, name }) => `design/${own ?? name}`),
  });
}
