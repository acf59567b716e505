import { PaginatedView } from '../../core/listing/page.js';
import { FlagField, IntField, MapField, RecordField, TextField, TextsField } from '../../core/schema/view-fields.js';
import type { Board, Datasource } from './grafana-answers.js';

export class GrafanaBoardView {
  @TextField({ rest: true, description: 'The id of the dashboard in Grafana.' })
  uid!: string;

  @TextField({ rest: true, description: 'The title of the dashboard.' })
  title!: string;

  @TextField({ rest: true, nullable: true, description: 'The path of the dashboard in Grafana.' })
  url!: string | null;

  @TextsField({ rest: true, description: 'The tags of the dashboard.' })
  tags!: string[];

  @TextField({ rest: true, nullable: true, description: 'The id of its folder in Grafana.' })
  folder_uid!: string | null;

  @TextField({ rest: true, nullable: true, description: 'The title of its folder.' })
  folder_title!: string | null;

  static fromBoard(this: void, { folderUid, folderTitle, ...board }: Board): GrafanaBoardView {
    return Object.assign(new GrafanaBoardView(), { ...board, folder_uid: folderUid, folder_title: folderTitle });
  }
}

export const GrafanaBoardPage = PaginatedView(GrafanaBoardView, 'boards', 'GrafanaBoardPage');

export class GrafanaBoardMetaView {
  @TextField({ rest: true, nullable: true, description: 'The path of the dashboard in Grafana.' })
  url!: string | null;

  @IntField({ rest: true, nullable: true, description: 'Counts the changes of the dashboard.' })
  version!: number | null;

  @TextField({ rest: true, nullable: true, description: 'When it was made.' })
  created!: string | null;

  @TextField({ rest: true, nullable: true, description: 'When it was changed last.' })
  updated!: string | null;

  @TextField({ rest: true, nullable: true, description: 'The id of its folder in Grafana.' })
  folder_uid!: string | null;

  @TextField({ rest: true, nullable: true, description: 'The title of its folder.' })
  folder_title!: string | null;
}

export class GrafanaBoardDetailView {
  @MapField({ rest: true, description: 'The model of the dashboard, as Grafana has it: panels, variables, queries.' })
  dashboard!: Record<string, unknown>;

  @RecordField(() => GrafanaBoardMetaView, { rest: true, description: 'Version and place of the dashboard.' })
  meta!: GrafanaBoardMetaView;
}

export class GrafanaDatasourceView {
  @TextField({ rest: true, description: 'The id of the data source in Grafana.' })
  uid!: string;

  @TextField({ rest: true, description: 'The name of the data source.' })
  name!: string;

  @TextField({ rest: true, description: 'Such as `prometheus` or `loki`.' })
  type!: string;

  @FlagField({ rest: true, description: 'Whether panels use it that name none.' })
  is_default!: boolean;

  static fromDatasource(this: void, { uid, name, type, isDefault }: Datasource): GrafanaDatasourceView {
    return Object.assign(new GrafanaDatasourceView(), { uid, name, type, is_default: isDefault });
  }
}

export const GrafanaDatasourcePage = PaginatedView(GrafanaDatasourceView, 'datasources', 'GrafanaDatasourcePage');
