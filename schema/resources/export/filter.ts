import { listInputs } from '../../graphql/lists.ts';
import { ExportChart, ExportFormat, ExportResource, ExportSide, ExportStatus, ExportType } from './type.ts';

export const exportInputs = listInputs('Export', {
  ability: 'exports:read',
  hidden: ['slot', 'userId', 'tokenId', 'sha256'],
  enums: {
    type: ExportType,
    format: ExportFormat,
    resource: ExportResource,
    side: ExportSide,
    chart: ExportChart,
    status: ExportStatus,
  },
});
