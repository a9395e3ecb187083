import { useMutation, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { type CallError, call, invalidateDomains, useCall } from '../../ipc'
import { Callout } from '../../ui/callout'
import { ConfirmDialog } from '../../ui/dialog'
import { EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { Hint } from '../../ui/text'
import { AllOrNothing, ApplyBar, BulkChanges, LayoutToggle, PreviewArea, SkippedTools, WriteFailure } from './preview'

const t = i18next.getFixedT(null, 'tools')

const noCache = { staleTime: 0, gcTime: 0 } as const

function RemovedNotice() {
  const { data: app } = useCall('app.get', {})
  return (
    <Callout
      tone="success"
      title={t('removeAll.done')}
      actions={[
        { label: t('many.undo'), variant: 'ghost', to: '/history' },
        { label: t('many.toTools'), to: '/tools' },
      ]}
    >
      {t('removeAll.doneText')} {app && t('removeAll.kept', { folder: app.dataDir })}
    </Callout>
  )
}

function RemoveAllForm({ onDone }: { readonly onDone: () => void }) {
  const [isAsking, setIsAsking] = useState(false)
  const queries = useQueryClient()
  const writing = useMutation<void, CallError>({
    mutationFn: async () => {
      for (const { previewId } of mcp.data ?? []) await call('mcp.carryOut', { previewId })
      // If MCP settings were removed, preview the other changes again, because the same files may have changed.
      const { tools, previewId } = mcp.data?.length
        ? await call('tools.previewRemoveAll', {})
        : (query.data ?? { tools: [], previewId: '' })
      if (tools.length > 0) await call('tools.applyMany', { previewId })
      if (startsAtLogin) await call('relay.setOptions', { startAtLogin: false })
      if (isRecording) await call('mcp.setRecordsArguments', { isOn: false })
    },
    onSuccess: onDone,
    onSettled: () => {
      invalidateDomains(queries, ['tools', 'plans', 'profiles', 'relay', 'mcp'])
      setIsAsking(false)
    },
  })
  const query = useCall('tools.previewRemoveAll', {}, noCache)
  const mcp = useCall('mcp.previewRemoveAll', {}, noCache)
  const { data: relay } = useCall('relay.get', {})
  const startsAtLogin = relay?.startAtLogin === true
  const { data: isRecording = false } = useCall('mcp.recordsArguments', {})
  const also = ([startsAtLogin && 'atLogin', isRecording && 'recording'] as const).filter((extra) => extra !== false)
  const isOld = query.isFetching || mcp.isFetching
  const refresh = (): void => {
    void query.refetch()
    void mcp.refetch()
  }
  const error = query.error ?? mcp.error
  const shown = { preview: error ? undefined : query.data, error, isOld, refresh }
  const servers = error ? undefined : mcp.data
  const canConfirm = shown.preview && servers && !writing.isPending
  // While the preview is refreshed, the confirmation can be opened, but the removal cannot start.
  const ask = canConfirm ? () => setIsAsking(true) : undefined
  const remove = canConfirm && !isOld ? () => writing.mutate() : undefined
  const { preview } = shown
  if (also.length === 0 && servers?.length === 0 && preview?.tools.length === 0 && preview.left.length === 0) {
    return (
      <EmptyState icon={Undo2} title={t('removeAll.nothing')} actions={[{ label: t('many.toTools'), to: '/tools' }]}>
        {t('removeAll.nothingText')}
      </EmptyState>
    )
  }
  const count = (preview?.tools.length ?? 0) + (servers?.length ?? 0)
  const remedies = { tryAgain: shown.refresh, previewAgain: shown.refresh }
  return (
    <>
      <Section title={t('restoreChanges')} description={t('restoreHint')} actions={<LayoutToggle />}>
        <WriteFailure failure={writing.error?.failure} isMany handlers={remedies} />
        <PreviewArea shown={shown} handlers={remedies}>
          {(changes) => <BulkChanges preview={changes} />}
        </PreviewArea>
      </Section>
      <SkippedTools left={preview?.left ?? []} />
      {servers?.length ? (
        <Section title={t('removeAll.mcp')} description={t('removeAll.mcpHint')}>
          <BulkChanges preview={{ tools: servers }} />
        </Section>
      ) : null}
      {also.map((extra) => (
        <Hint key={extra}>{t(`removeAll.${extra}`)}</Hint>
      ))}
      {count > 0 || also.length > 0 ? (
        <ApplyBar variant="danger" label={t('removeAll.button')} busy={writing.isPending} apply={ask}>
          {count === 0 ? null : servers?.length ? (
            // Do not state that all changes are applied or none, because MCP settings are written separately.
            <p className="font-semibold">{t('removeAll.outcome', { count })}</p>
          ) : (
            <AllOrNothing title={t('removeAll.outcome', { count })} />
          )}
        </ApplyBar>
      ) : null}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('removeAll.ask')}
        description={[
          ...(count > 0 ? [t('removeAll.askText', { count })] : []),
          ...also.map((extra) => t(`removeAll.${extra}`)),
        ].join(' ')}
        confirmLabel={t('removeAll.button')}
        danger
        busy={writing.isPending || shown.isOld}
        onConfirm={() => remove?.()}
      />
    </>
  )
}

/** Undoes everything this app wrote to any tool. */
export function RemoveAllPage() {
  const [isDone, setIsDone] = useState(false)
  return (
    <Page>
      <PageHeader
        title={t('removeAll.title')}
        breadcrumb={[{ label: t('title'), to: '/tools' }]}
        state={isDone ? null : t('removeAll.state')}
      />
      {isDone ? <RemovedNotice /> : <RemoveAllForm onDone={() => setIsDone(true)} />}
    </Page>
  )
}
