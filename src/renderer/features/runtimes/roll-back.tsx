import type { ConnectionView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../ui/dialog'
import { toast } from '../../ui/toast'
import type { Resource, Subject } from '../resources/resource'
import { ResourceFailure } from '../resources/resource-failure'
import { targetOf } from '../resources/subject'
import { useRun } from '../resources/use-run'
import { versionOf } from './names'

interface RollBackProps {
  readonly connection: ConnectionView
  readonly resource: Resource
  readonly subject: Subject
  /** The version that it pointed at before. */
  readonly to: string
  readonly onClose: () => void
}

/** Points an endpoint back at the version it was seen to point at before. */
export function RollBack({ connection, resource, subject, to, onClose }: RollBackProps) {
  const { t } = useTranslation('runtimes')
  const { name, row } = subject
  const { run, cancel, isRunning, failure } = useRun({
    connectionId: connection.id,
    onDone: () => {
      void toast(t('endpoints.back.done', { name, number: to }))
      onClose()
    },
  })
  const { path } = targetOf(resource, subject)
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (open) return
        cancel()
        onClose()
      }}
      title={t('endpoints.back.title', { name, number: to })}
      description={t('endpoints.back.text', { number: versionOf(row) ?? '?' })}
      confirmLabel={t('endpoints.back.confirm')}
      busy={isRunning}
      onConfirm={() => run({ operation: 'runtime.endpoints.setVersion', path, query: { version: to } })}
    >
      {failure ? <ResourceFailure failure={failure} connection={connection} address={resource.address} /> : null}
    </ConfirmDialog>
  )
}
