import { Bot, Layers, Package } from 'lucide-react'
import {
  createdColumn,
  creation,
  deletion,
  listTexts,
  nameField,
  type Resource,
  type ResourceColumn,
  updatedColumn,
} from '../resources'

const pushedFields = ['pushedAt', 'pushTime', 'createdAt', 'updatedAt', 'created']

const sizeColumn = (names: readonly string[]): ResourceColumn => ({
  header: (t) => t('registry:fields.size'),
  names,
  format: 'bytes',
  width: '110px',
})

/** Repositories (spec, "Container registry"). */
export const repositories: Resource = {
  address: 'registryApiUrl',
  icon: Package,
  at: '/registry/repositories',
  texts: listTexts('registry:repositories.'),
  list: { operation: 'registry.repositories.list' },
  get: { operation: 'registry.repositories.get' },
  identifier: { names: ['id', 'repoId', 'repositoryId', 'uuid', 'name'], param: 'repoId' },
  naming: ['name', 'repositoryName', 'repoName', 'fullName', 'title'],
  status: ['status', 'state'],
  columns: [
    {
      header: (t) => t('registry:fields.images'),
      names: ['imageCount', 'imagesCount', 'totalImages', 'artifactCount', 'tagCount'],
      format: 'number',
      width: '90px',
    },
    sizeColumn(['sizeBytes', 'size', 'storageBytes', 'totalSize']),
    { ...updatedColumn, from: 620 },
    { ...createdColumn, from: 760 },
  ],
  create: creation('registry:repositories.', {
    operation: 'registry.repositories.create',
    fields: [{ ...nameField, placeholder: 'team/chat-agent', help: (t) => t('registry:repositories.nameHelp') }],
  }),
  actions: [deletion({ operation: 'registry.repositories.delete' })],
}

/** Images of a repository (spec, "Container registry"). The API requires the filter `name`. */
export const images: Resource = {
  address: 'registryApiUrl',
  icon: Layers,
  at: '/registry/repositories/:repoId',
  texts: listTexts('registry:images.', (t) => t('registry:images.name')),
  list: {
    operation: 'registry.images.list',
    newestBy: pushedFields,
    filter: { param: 'name', label: (t) => t('registry:images.filter') },
  },
  identifier: { names: ['name', 'imageName', 'tag', 'digest', 'id'], param: 'imageName', to: 'query' },
  naming: ['name', 'imageName', 'tag', 'digest'],
  columns: [
    {
      header: (t) => t('registry:images.digest'),
      names: ['digest', 'sha', 'imageId'],
      format: 'code',
      width: 'minmax(120px, 1.4fr)',
      from: 560,
    },
    sizeColumn(['sizeBytes', 'size', 'imageSize']),
    {
      header: (t) => t('registry:images.pushed'),
      names: pushedFields,
      format: 'date',
      width: '140px',
    },
  ],
  actions: [
    deletion({
      wantsName: false,
      operation: 'registry.images.delete',
      title: (t, subject) => t('registry:images.deleteNamed', subject),
      breaks: [(t, subject) => t('registry:images.breaks', subject)],
    }),
  ],
}

/** Push and pull accounts (spec, "Container registry"). */
export const robotAccounts: Resource = {
  address: 'registryApiUrl',
  icon: Bot,
  at: '/registry/robots',
  texts: listTexts('registry:robots.'),
  list: { operation: 'registry.robotAccounts.list' },
  identifier: { names: ['id', 'repoUserId', 'userId', 'uuid', 'name'], param: 'repoUserId' },
  naming: ['name', 'userName', 'username', 'robotName', 'displayName'],
  columns: [
    {
      header: (t) => t('registry:robots.permissions'),
      names: ['permissions', 'scopes', 'access', 'roles'],
      width: 'minmax(140px, 1fr)',
    },
    createdColumn,
  ],
  create: creation('registry:robots.', {
    operation: 'registry.robotAccounts.create',
    fields: [
      { ...nameField, placeholder: 'ci-push', help: (t) => t('registry:robots.nameHelp') },
      {
        id: 'permissions',
        kind: 'checks',
        label: (t) => t('registry:robots.permissions'),
        help: (t) => t('registry:robots.permissionsHelp'),
        options: {
          operation: 'registry.robotAccounts.permissions',
          names: ['name', 'id', 'permission', 'action', 'code'],
          isUnpaged: true,
        },
      },
    ],
    secretKind: 'robot',
    tellsOnce: true,
  }),
  actions: [
    deletion({
      operation: 'registry.robotAccounts.delete',
      breaks: [(t, subject) => t('registry:robots.breaks', subject)],
    }),
  ],
}

/** Quotes a word for POSIX shells. PowerShell accepts the same quotes. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Removes the scheme and trailing slashes of an address, because image references do not allow them. */
const stripScheme = (host: string): string => host.replace(/^https?:\/\//i, '').replace(/\/+$/, '')

/**
 * Command that signs in to the registry. It pipes the secret, which the keychain saved under the name `kept`, through
 * standard input, so that the secret is not in arguments or shell history.
 */
export const loginLine = ({ host, kept, user }: Readonly<Record<'host' | 'kept' | 'user', string>>): string =>
  `companion secret print ${shellWord(kept)} | docker login ${shellWord(stripScheme(host))} --username ${shellWord(user)} --password-stdin`

/** Reference of an image for a command line. */
export const imageReference = ({ host, repository, tag }: Readonly<Record<'host' | 'repository' | 'tag', string>>) =>
  shellWord(`${stripScheme(host)}/${repository}:${tag === '' ? 'latest' : tag}`)

export const dockerPath = '/registry/docker'
