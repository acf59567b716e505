import type { NotificationView } from '@armature/client';
import { refresh } from '../api.js';
import { Action, Badge, Empty, List, Name, Screen, Table, Time } from '../parts.js';
import { addressOf } from '../router.js';

const readAgain = (): void => refresh((operation) => operation === 'listNotifications');

export default function Notifications() {
  return (
    <Screen title="Notifications">
      <Action
        label="Mark all as read"
        operation="updateNotifications"
        options={() => ({ body: { all: true, status: 'read' } })}
        onDone={readAgain}
      />
      <List operation="listNotifications" options={{ query: { order: 'created_at desc' } }}>
        {({ notifications }) =>
          notifications.length === 0 ? (
            <Empty>Nothing yet.</Empty>
          ) : (
            <Table
              caption="Notifications, last first"
              rows={notifications}
              columns={[
                { title: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
                { title: 'State', wide: true, cell: ({ status }) => <Badge>{status}</Badge> },
                { title: 'What', cell: (each) => <What notification={each} /> },
              ]}
            />
          )
        }
      </List>
    </Screen>
  );
}

const PATHS: Record<string, string> = {
  design: '/designs/',
  deployment: '/deployments/',
  environment: '/environments/',
  workspace: '/workspaces/',
};

function What({ notification: { category, action, acted_upon, description } }: { notification: NotificationView }) {
  const path = PATHS[category];
  const plan = category === 'deployment' && action === 'requested' ? '/plan' : '';
  return path ? (
    <a href={addressOf(`${path}${acted_upon}${plan}`)}>
      <Name>{description}</Name>
    </a>
  ) : (
    <Name>{description}</Name>
  );
}
