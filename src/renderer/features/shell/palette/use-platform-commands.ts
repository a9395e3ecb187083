import { type LucideIcon, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { checkPath } from '../../../paths'
import { identityResources } from '../../platform/identities'
import { memories } from '../../platform/memory'
import { apiKeys, models } from '../../platform/models'
import { dockerPath, repositories, robotAccounts } from '../../platform/registry'
import { type Resource, toNewPath, useResourceText } from '../../platform/resources'
import { runtimes } from '../../platform/runtimes'

const listedResources: readonly Resource[] = [
  memories,
  runtimes,
  ...identityResources,
  repositories,
  robotAccounts,
  models,
  apiKeys,
]

export function usePlatformCommands(): readonly GroupCommand[] {
  const { t } = useTranslation(['registry', 'runtimes'])
  const text = useResourceText()
  return [
    ...listedResources.map(
      ({ texts, icon, at, list }): GroupCommand => ({
        id: `${at}-list`,
        label: text(texts.title),
        icon,
        also: list.operation,
        path: at,
      }),
    ),
    {
      id: 'container-check',
      label: t('runtimes:check.title'),
      icon: runtimes.icon,
      also: 'container contract health 8080',
      path: checkPath,
    },
    {
      id: 'docker',
      label: t('docker.command'),
      icon: repositories.icon,
      also: 'docker login push pull',
      path: dockerPath,
    },
    ...listedResources.flatMap(({ at, create }): GroupCommand[] =>
      create
        ? [
            {
              id: `create-${at}`,
              label: text(create.title),
              icon: Plus,
              also: create.operation,
              path: toNewPath(at),
            },
          ]
        : [],
    ),
  ]
}

export const commandGroups = [
  'go',
  'connections',
  'tools',
  'plans',
  'usage',
  'keys',
  'playground',
  'platform',
  'window',
] as const

interface CommandFacts {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly keys?: readonly string[]
  /** Additional search keywords. */
  readonly also?: string
}

/** A command that opens a page or runs an action. */
export type GroupCommand = CommandFacts & ({ readonly path: string } | { readonly run: () => void })

export type Command = GroupCommand & { readonly group: (typeof commandGroups)[number] }
