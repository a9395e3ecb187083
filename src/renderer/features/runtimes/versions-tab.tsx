import type { ConnectionView } from '@shared/contract'
import { GitCompareArrows } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { MenuItem } from '../../ui/menu'
import { Section } from '../../ui/page'
import { Select } from '../../ui/select'
import { TextDiff } from '../compare/text-diff'
import type { Subject } from '../resources/resource'
import { ResourceFailure } from '../resources/resource-failure'
import { ResourceList } from '../resources/resource-list'
import type { OpenRuntime } from './open-runtime'
import styles from './runtimes.module.css'
import { useVersions } from './use-every'
import { versions as resource, type Version, versionText } from './versions'

/** Which two versions are compared, as the address says: the newest and the one before it unless it does. */
function useCompared(all: readonly Version[]) {
  const [query, setQuery] = useSearchParams()
  const numbered = (number: string | null): Version | undefined => all.find((one) => one.number === number)
  const after = numbered(query.get('after')) ?? all[0]
  const before = numbered(query.get('before')) ?? (after && all[all.indexOf(after) + 1]) ?? all.at(-1)
  const choose = (change: { readonly before?: string; readonly after?: string }): void =>
    setQuery(
      (now) => {
        const next = new URLSearchParams(now)
        for (const [side, number] of Object.entries(change)) next.set(side, number)
        return next
      },
      { replace: true },
    )
  return { before, after, choose }
}

function Compare({
  all,
  compared,
}: {
  readonly all: readonly Version[]
  readonly compared: ReturnType<typeof useCompared>
}) {
  const { t } = useTranslation('runtimes')
  const { before, after, choose } = compared
  const texts = useMemo(() => [before, after].map((one) => (one ? versionText(one) : '')), [before, after])
  if (!before || !after) return null
  const options = all.map(({ number }) => ({ value: number, label: t('versions.number', { number }) }))
  const named = ({ number }: Version): string => t('versions.number', { number })
  return (
    <Section
      title={t('versions.compare')}
      description={all.length < 2 ? t('versions.onlyOne') : t('versions.compareText')}
      actions={
        all.length < 2 ? null : (
          <div className={styles.pickers}>
            <Select
              aria-label={t('versions.before')}
              value={before.number}
              onValueChange={(number) => choose({ before: number })}
              options={options}
            />
            <span aria-hidden="true">→</span>
            <Select
              aria-label={t('versions.after')}
              value={after.number}
              onValueChange={(number) => choose({ after: number })}
              options={options}
            />
          </div>
        )
      }
    >
      {all.length < 2 ? null : (
        <div className={styles.diff}>
          <TextDiff before={texts[0] ?? ''} after={texts[1] ?? ''} names={[named(before), named(after)]} />
        </div>
      )}
    </Section>
  )
}

function useCompareItems(all: readonly Version[], choose: ReturnType<typeof useCompared>['choose']) {
  const { t } = useTranslation('runtimes')
  return ({ id }: Subject): readonly MenuItem[] => {
    const at = all.findIndex(({ number }) => number === id)
    const [newest] = all
    const older = all[at + 1]
    if (id === undefined || at < 0 || !newest) return []
    return [
      {
        label: t('versions.withBefore'),
        icon: GitCompareArrows,
        disabled: older === undefined,
        onSelect: () => choose({ before: older?.number ?? id, after: id }),
      },
      {
        label: t('versions.withNewest'),
        icon: GitCompareArrows,
        disabled: at === 0,
        onSelect: () => choose({ before: id, after: newest.number }),
      },
    ]
  }
}

interface FailedProps {
  readonly connection: ConnectionView
  readonly query: ReturnType<typeof useVersions>
}

function Failed({ connection, query: { error, isFetching, refetch } }: FailedProps) {
  if (!error) return null
  return (
    <ResourceFailure
      {...{ connection }}
      failure={error.failure}
      address={resource.address}
      onRetry={() => void refetch()}
      busy={isFetching}
    />
  )
}

/** The versions of a runtime, and what sets any two of them apart. */
export function VersionsTab({ connection, runtimeId }: OpenRuntime) {
  const query = useVersions(connection, runtimeId)
  const compared = useCompared(query.all)
  const moreItems = useCompareItems(query.all, compared.choose)
  return (
    <>
      <Failed connection={connection} query={query} />
      <Compare all={query.all} compared={compared} />
      <ResourceList {...{ resource, connection, moreItems }} scope={useMemo(() => ({ id: runtimeId }), [runtimeId])} />
    </>
  )
}
