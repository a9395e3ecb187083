import { Package, Trash2 } from 'lucide-react'
import type { Resource } from '../resources/resource'

/** Repositories of container images (spec, "Container registry"). */
export const repositories: Resource = {
  id: 'repositories',
  address: 'registryApiUrl',
  icon: Package,
  at: '/registry/repositories',
  words: {
    title: (t) => t('registry:repositories.title'),
    name: (t) => t('registry:fields.name'),
    create: (t) => t('registry:repositories.create'),
    empty: (t) => t('registry:repositories.empty'),
    emptyText: (t) => t('registry:repositories.emptyText'),
  },
  list: { operation: 'registry.repositories.list' },
  get: { operation: 'registry.repositories.get' },
  identifier: { names: ['id', 'repoId', 'repositoryId', 'uuid', 'name'], param: 'repoId' },
  naming: ['name', 'repositoryName', 'repoName', 'fullName', 'title'],
  status: ['status', 'state'],
  columns: [
    {
      id: 'images',
      header: (t) => t('registry:fields.images'),
      names: ['imageCount', 'imagesCount', 'totalImages', 'artifactCount', 'tagCount'],
      format: 'number',
      align: 'right',
      width: '90px',
    },
    {
      id: 'size',
      header: (t) => t('registry:fields.size'),
      names: ['sizeBytes', 'size', 'storageBytes', 'totalSize'],
      format: 'bytes',
      align: 'right',
      width: '110px',
    },
    {
      id: 'updated',
      header: (t) => t('registry:fields.updated'),
      names: ['updatedAt', 'updated', 'lastPushedAt', 'modifiedAt'],
      format: 'date',
      width: '140px',
      from: 620,
    },
    {
      id: 'created',
      header: (t) => t('registry:fields.created'),
      names: ['createdAt', 'created', 'creationTime'],
      format: 'date',
      width: '140px',
      from: 760,
    },
  ],
  create: {
    operation: 'registry.repositories.create',
    title: (t) => t('registry:repositories.create'),
    text: (t) => t('registry:repositories.createText'),
    confirm: (t) => t('registry:create'),
    done: (t, of) => t('registry:repositories.created', of),
    fields: [
      {
        id: 'name',
        kind: 'text',
        isCode: true,
        isRequired: true,
        placeholder: 'team/chat-agent',
        label: (t) => t('registry:fields.name'),
        help: (t) => t('registry:repositories.nameHelp'),
      },
    ],
    takesJson: true,
  },
  actions: [
    {
      id: 'delete',
      operation: 'registry.repositories.delete',
      label: (t) => t('registry:delete'),
      icon: Trash2,
      isDanger: true,
      removes: true,
      wantsName: true,
      title: (t, of) => t('registry:deleteNamed', of),
      confirm: (t) => t('registry:delete'),
      done: (t, of) => t('registry:deleted', of),
    },
  ],
}
