import type { McpChange } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures'
import { changesNothing, FileChanges, Waiting } from '../tools'

/** What adding or removing writes, and the button that writes exactly that. */
export function ChangeDialog({
  change,
  name,
  onClose,
}: {
  readonly change: McpChange
  readonly name: string
  readonly onClose: () => void
}) {
  const { t } = useTranslation(['mcp', 'common'])
  const query = useCall('mcp.preview', change, { staleTime: 0, gcTime: 0 })
  const { what, action } = change
  const writing = useAction('mcp.carryOut', {
    invalidates: ['mcp', 'register'],
    onSuccess: () => {
      onClose()
      void toast(t(`mcp:done.${what}.${action}`, { tool: name }))
    },
  })
  const preview = query.isError ? undefined : query.data
  const failure = (writing.error ?? query.error)?.failure
  const lookAgain = (): void => {
    writing.reset()
    void query.refetch()
  }
  const canWrite = preview !== undefined && !query.isFetching && !changesNothing(preview)
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      title={t(`mcp:change.${what}.${action}`, { tool: name })}
      description={t(what === 'server' ? 'mcp:change.restart' : 'mcp:change.next', { tool: name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            variant="primary"
            busy={writing.isPending}
            disabled={!canWrite || writing.isError}
            onClick={() => preview && writing.mutate({ previewId: preview.previewId })}
          >
            {t(`mcp:change.${action}`)}
          </Button>
        </>
      }
    >
      {failure ? (
        <ExplainedFailure
          failure={failure}
          handlers={{ tryAgain: lookAgain, previewAgain: lookAgain }}
          busy={query.isFetching}
        />
      ) : null}
      {preview ? <FileChanges files={preview.files} /> : failure ? null : <Waiting />}
    </Dialog>
  )
}
