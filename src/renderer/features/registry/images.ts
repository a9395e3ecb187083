import { Layers, Trash2 } from 'lucide-react'
import type { Resource } from '../resources/resource'

/** The images of one repository (spec, "Container registry"); `name` filters at the server and is always sent. */
export const images: Resource = {
  id: 'images',
  address: 'registryApiUrl',
  icon: Layers,
  at: '/registry/repositories/:repoId',
  words: {
    title: (t) => t('registry:images.title'),
    name: (t) => t('registry:images.name'),
    empty: (t) => t('registry:images.empty'),
    emptyText: (t) => t('registry:images.emptyText'),
  },
  list: {
    operation: 'registry.images.list',
    filter: { param: 'name', label: (t) => t('registry:images.filter') },
  },
  identifier: { names: ['name', 'imageName', 'tag', 'digest', 'id'], param: 'imageName', to: 'query' },
  naming: ['name', 'imageName', 'tag', 'digest'],
  columns: [
    {
      id: 'digest',
      header: (t) => t('registry:images.digest'),
      names: ['digest', 'sha', 'imageId'],
      format: 'code',
      width: 'minmax(120px, 1.4fr)',
      from: 560,
    },
    {
      id: 'size',
      header: (t) => t('registry:fields.size'),
      names: ['sizeBytes', 'size', 'imageSize'],
      format: 'bytes',
      align: 'right',
      width: '110px',
    },
    {
      id: 'pushed',
      header: (t) => t('registry:images.pushed'),
      names: ['pushedAt', 'pushTime', 'createdAt', 'updatedAt', 'created'],
      format: 'date',
      width: '140px',
    },
  ],
  actions: [
    {
      id: 'delete',
      operation: 'registry.images.delete',
      label: (t) => t('registry:delete'),
      icon: Trash2,
      isDanger: true,
      removes: true,
      title: (t, of) => t('registry:images.deleteNamed', of),
      breaks: [(t, of) => t('registry:images.breaks', of), (t) => t('registry:noReturn')],
      confirm: (t) => t('registry:delete'),
      done: (t, of) => t('registry:deleted', of),
    },
  ],
}
