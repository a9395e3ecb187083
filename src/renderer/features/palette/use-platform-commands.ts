import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { identityResources } from '../identities/section'
import { memories } from '../memory/memories'
import { apiKeys } from '../models/api-keys'
import { models } from '../models/models'
import { repositories } from '../registry/repositories'
import { robotAccounts } from '../registry/robot-accounts'
import { dockerPath } from '../registry/section'
import { newPathOf } from '../resources/create-thing'
import type { Resource } from '../resources/resource'
import { useText } from '../resources/use-text'
import { checkPath } from '../runtimes/paths'
import { runtimes } from '../runtimes/runtimes'
import type { Command } from './command'

const listed: readonly Resource[] = [
  memories,
  runtimes,
  ...identityResources,
  repositories,
  robotAccounts,
  models,
  apiKeys,
]

/** The lists of the platform, and what makes something new in them. */
export function usePlatformCommands(): readonly Command[] {
  const { t } = useTranslation(['registry', 'runtimes'])
  const text = useText()
  const navigate = useNavigate()
  const go = (path: string) => (): void => void navigate(path)
  const group = 'platform'
  return [
    ...listed.map(
      ({ id, words, icon, at, list }): Command => ({
        id: `${id}-list`,
        group,
        label: text(words.title),
        icon,
        also: list.operation,
        run: go(at),
      }),
    ),
    {
      id: 'container-check',
      group,
      label: t('runtimes:check.title'),
      icon: runtimes.icon,
      also: 'container contract health 8080',
      run: go(checkPath),
    },
    {
      id: 'docker',
      group,
      label: t('docker.command'),
      icon: repositories.icon,
      also: 'docker login push pull',
      run: go(dockerPath),
    },
    ...listed.flatMap(({ id, words, at, create }): Command[] =>
      create && words.create
        ? [
            {
              id: `create-${id}`,
              group,
              label: text(words.create),
              icon: Plus,
              also: create.operation,
              run: go(newPathOf(at)),
            },
          ]
        : [],
    ),
  ]
}
