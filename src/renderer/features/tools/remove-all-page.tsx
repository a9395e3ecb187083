import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ConfirmDialog } from '../../ui/dialog'
import { EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { ExplainedFailure } from '../failures/explained-failure'
import { AllOrNothing, ApplyBar, useApplyKey, WriteFailure } from './apply-bar'
import { LeftTools, ManyPreviewArea } from './bulk-changes'
import { LayoutToggle } from './file-changes'

/** What removing would put back, the write itself, and how each of them stands. */
function useRemoveAll() {
  const [isAsking, setIsAsking] = useState(false)
  const writing = useAction('tools.applyMany', {
    invalidates: ['tools', 'plans', 'profiles', 'relay'],
    onSettled: () => setIsAsking(false),
  })
  const query = useCall('tools.previewRemoveAll', {}, { staleTime: 0, gcTime: 0, enabled: !writing.isSuccess })
  const preview = query.isError ? undefined : query.data
  const isOld = query.isFetching
  const shown = { preview, error: query.error, isOld, refresh: () => void query.refetch() }
  const canAsk = preview !== undefined && !writing.isPending && !writing.isSuccess
  // What is looked up again meanwhile does not keep anybody from asking, only from writing.
  const ask = canAsk && !isAsking ? () => setIsAsking(true) : undefined
  const remove = canAsk && !isOld ? () => writing.mutate({ previewId: preview.previewId }) : undefined
  return { shown, writing, ask, remove, isAsking, setIsAsking }
}

type Removing = ReturnType<typeof useRemoveAll>

function Removed() {
  const { t } = useTranslation('tools')
  return (
    <Callout
      tone="success"
      title={t('removeAll.done')}
      actions={
        <>
          <ButtonLink size="sm" variant="ghost" to="/history">
            {t('many.undo')}
          </ButtonLink>
          <ButtonLink size="sm" to="/tools">
            {t('many.toTools')}
          </ButtonLink>
        </>
      }
    >
      {t('removeAll.doneText')}
    </Callout>
  )
}

function RemoveAll({ state }: { readonly state: Removing }) {
  const { t } = useTranslation('tools')
  const tools = useCall('tools.list', {})
  const { shown, writing, ask, remove, isAsking, setIsAsking } = state
  const { preview } = shown
  useApplyKey(ask)
  if (preview && preview.tools.length === 0 && preview.left.length === 0) {
    return (
      <EmptyState
        icon={Undo2}
        title={t('removeAll.nothing')}
        actions={<ButtonLink to="/tools">{t('many.toTools')}</ButtonLink>}
      >
        {t('removeAll.nothingText')}
      </EmptyState>
    )
  }
  const count = preview?.tools.length ?? 0
  const remedies = { tryAgain: shown.refresh, previewAgain: shown.refresh }
  return (
    <Loaded query={tools} skeleton={<SkeletonRows rows={4} />}>
      {(list) => (
        <>
          <Section title={t('restoreChanges')} description={t('restoreHint')} actions={<LayoutToggle />}>
            <WriteFailure failure={writing.error?.failure} isMany handlers={remedies} />
            <ManyPreviewArea
              shown={shown}
              tools={list}
              failure={
                shown.error ? (
                  <ExplainedFailure failure={shown.error.failure} handlers={remedies} busy={shown.isOld} />
                ) : null
              }
            />
          </Section>
          <LeftTools left={preview?.left ?? []} tools={list} />
          {count > 0 ? (
            <ApplyBar
              variant="danger"
              label={t('removeAll.button')}
              busy={writing.isPending}
              disabled={false}
              onApply={() => ask?.()}
            >
              <AllOrNothing title={t('removeAll.outcome', { count })} />
            </ApplyBar>
          ) : null}
          <ConfirmDialog
            open={isAsking}
            onOpenChange={setIsAsking}
            title={t('removeAll.ask')}
            description={t('removeAll.askText', { count })}
            confirmLabel={t('removeAll.button')}
            danger
            busy={writing.isPending || shown.isOld}
            onConfirm={() => remove?.()}
          />
        </>
      )}
    </Loaded>
  )
}

/** Everything this app ever wrote to a tool, taken back in one go. */
export function RemoveAllPage() {
  const { t } = useTranslation('tools')
  const state = useRemoveAll()
  return (
    <Page>
      <PageHeader
        title={t('removeAll.title')}
        breadcrumb={[{ label: t('title'), to: '/tools' }]}
        state={state.writing.isSuccess ? null : t('removeAll.state')}
      />
      {state.writing.isSuccess ? <Removed /> : <RemoveAll state={state} />}
    </Page>
  )
}
