import type { MethodOutput, UsageRequest } from '@shared/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { ListX, Monitor } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { type CallError, call } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button, ButtonLink } from '../../ui/button'
import { CompactSwitch } from '../../ui/compact-switch'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import toolbar from '../../ui/toolbar.module.css'
import { VirtualTable } from '../../ui/virtual-table'
import { useNameOfTool } from '../plans/use-tool-names'
import { ExportMenu } from './export-menu'
import { isNarrowed, noFilters } from './narrowing'
import { figuresPath } from './paths'
import { RefreshButton } from './refresh-button'
import styles from './usage.module.css'
import { useRequestColumns } from './use-request-columns'
import { useAxisWords } from './use-span-words'
import { type Usage, useUsage } from './use-usage'

type RequestsPageOf = MethodOutput<'usage.requests'>

/** How many requests are read at a time. */
const pageSize = 200
const rowHeight = 36

/** The requests from the newest on, as far back as was asked for. */
function useRequests({ filter, wanted: { onlyErrors } }: Usage) {
  return useInfiniteQuery<RequestsPageOf, CallError, readonly UsageRequest[], readonly unknown[], string | undefined>({
    queryKey: ['usage.requests', { filter, onlyErrors }, 'pages'],
    queryFn: ({ pageParam }) =>
      call('usage.requests', {
        filter,
        onlyErrors,
        limit: pageSize,
        ...(pageParam === undefined ? {} : { next: pageParam }),
      }),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ requests }) => requests),
  })
}

/** Which requests these are: the stretch of time, the source, and every filter by name. */
function State({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const words = useAxisWords()
  const nameOf = useNameOfTool()
  const { filter, scope, plans, planId, wanted } = usage
  return (
    <Facts
      items={[
        words.stretch({ from: new Date(filter.from), to: new Date(filter.to) }),
        t(`scopes.${scope}`),
        plans.find(({ id }) => id === planId)?.name,
        wanted.modelCode,
        wanted.toolId && nameOf(wanted.toolId),
        wanted.keyId && t('requests.oneKey'),
      ]}
    />
  )
}

function None({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { wanted, change } = usage
  const which = wanted.onlyErrors ? 'noErrors' : 'none'
  return (
    <EmptyState
      icon={ListX}
      title={t(`requests.${which}`)}
      actions={
        wanted.onlyErrors ? (
          <Button onClick={() => change({ onlyErrors: false })}>{t('requests.showAll')}</Button>
        ) : wanted.since === undefined ? (
          <ButtonLink to={figuresPath({ ...wanted, onlyErrors: false })}>{t('requests.backToFigures')}</ButtonLink>
        ) : (
          <Button onClick={() => change({ since: undefined, until: undefined })}>{t('requests.all')}</Button>
        )
      }
    >
      {t(`requests.${which}Text`)}
    </EmptyState>
  )
}

function List({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const query = useRequests(usage)
  const columns = useRequestColumns()
  const { wanted, change } = usage
  const shown = query.data?.length ?? 0
  return (
    <div className={toolbar.list}>
      <div className={toolbar.bar}>
        <CompactSwitch
          checked={wanted.onlyErrors}
          onCheckedChange={(onlyErrors) => change({ onlyErrors })}
          label={t('requests.onlyErrors')}
        />
        <span aria-hidden="true">{t('requests.onlyErrors')}</span>
        {wanted.since === undefined ? null : (
          <Button size="sm" variant="ghost" onClick={() => change({ since: undefined, until: undefined })}>
            {t('requests.all')}
          </Button>
        )}
        {isNarrowed(usage) ? (
          <Button size="sm" variant="ghost" onClick={() => change(noFilters)}>
            {t('filters.clear')}
          </Button>
        ) : null}
        <span className={clsx(toolbar.shown, styles.shown)} role="status">
          {shown > 0
            ? t('requests.shown', { count: shown, amount: `${number(shown)}${query.hasNextPage ? '+' : ''}` })
            : ''}
        </span>
      </div>
      <Loaded query={query} skeleton={<SkeletonRows rows={8} />}>
        {(requests) =>
          requests.length === 0 ? (
            <None usage={usage} />
          ) : (
            <VirtualTable
              label={t('requests.list')}
              columns={columns}
              rows={requests}
              rowKey={({ id }) => id}
              rowHeight={rowHeight}
            />
          )
        }
      </Loaded>
      {query.hasNextPage ? (
        <Button className={styles.older} busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('requests.older')}
        </Button>
      ) : null}
    </div>
  )
}

function OnlySums({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const show = (): void =>
    usage.change({ scope: 'machine', planId: undefined, keyId: undefined, connectionId: undefined })
  return (
    <EmptyState
      icon={ListX}
      title={t('requests.console')}
      actions={
        <Button icon={Monitor} onClick={show}>
          {t('requests.toMachine')}
        </Button>
      }
    >
      {t('requests.consoleText')}
    </EmptyState>
  )
}

/** Single requests: those of a bar that was pressed, or of everything that is filtered. */
export function RequestsPage() {
  const { t } = useTranslation('usage')
  const usage = useUsage()
  const back = useMemo(
    () => figuresPath({ ...usage?.wanted, since: undefined, until: undefined, onlyErrors: false }),
    [usage?.wanted],
  )
  return (
    <Page width="wide">
      <PageHeader
        title={t('requests.title')}
        breadcrumb={[{ label: t('title'), to: back }]}
        state={usage ? <State usage={usage} /> : null}
        actions={
          usage && usage.scope !== 'console' ? (
            <>
              <RefreshButton />
              <ExportMenu usage={usage} />
            </>
          ) : null
        }
      />
      {usage === undefined ? (
        <SkeletonRows rows={8} />
      ) : usage.scope === 'console' ? (
        <OnlySums usage={usage} />
      ) : (
        <List usage={usage} />
      )}
    </Page>
  )
}
