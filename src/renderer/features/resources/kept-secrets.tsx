import type { KeptSecret } from '@shared/contract'
import { Copy, KeyRound, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { ConfirmDialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { Section } from '../../ui/page'
import { Facts, Row, RowMark, Rows } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './resources.module.css'
import { useSayCopied } from './secret-buttons'
import { useRefreshKept } from './use-refresh-kept'

interface KeptSecretsProps {
  readonly connectionId: string
  readonly kinds: readonly KeptSecret['kind'][]
  /** What they are for. */
  readonly description: string
  /** More that can be done with one. */
  readonly actions?: (kept: KeptSecret) => ReactNode
}

function ForgetDialog({ kept, onClose }: { readonly kept: KeptSecret; readonly onClose: () => void }) {
  const { t } = useTranslation('resources')
  const { id, name } = kept
  const refreshKept = useRefreshKept()
  const forgetting = useAction('resources.forgetKept', {
    onSuccess: () => {
      refreshKept()
      onClose()
      void toast(t('secret.forgotten', { name }))
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('secret.forgetTitle', { name })}
      description={t('secret.forgetText')}
      confirmLabel={t('secret.forget')}
      danger
      busy={forgetting.isPending}
      onConfirm={() => forgetting.mutate({ id })}
    >
      {forgetting.error ? <ExplainedFailure failure={forgetting.error.failure} /> : null}
    </ConfirmDialog>
  )
}

function KeptRow({
  kept,
  actions,
  onForget,
}: {
  readonly kept: KeptSecret
  readonly actions: ReactNode
  readonly onForget: () => void
}) {
  const { t } = useTranslation('resources')
  const copying = useAction('resources.copyKept', useSayCopied())
  const { id, name, masked, keptAt } = kept
  return (
    <Row
      leading={
        <RowMark>
          <KeyRound size={14} strokeWidth={1.8} />
        </RowMark>
      }
      title={name}
      description={
        <Facts
          items={[
            <Code key="masked" quiet>
              {masked}
            </Code>,
            <RelativeTime key="at" at={keptAt} />,
          ]}
        />
      }
      trailing={
        <span className={styles.secretButtons}>
          {actions}
          <Button size="sm" icon={Copy} busy={copying.isPending} onClick={() => copying.mutate({ id })}>
            {t('secret.copy')}
          </Button>
          <IconButton icon={Trash2} size="sm" label={t('secret.forgetNamed', { name })} onClick={onForget} />
        </span>
      }
    />
  )
}

/** The secrets of a connection that are kept in the keychain; nothing while there are none of these kinds. */
export function KeptSecrets({ connectionId, kinds, description, actions }: KeptSecretsProps) {
  const { t } = useTranslation('resources')
  const [forgotten, forget] = useState<KeptSecret>()
  const kept = useCall('resources.keptSecrets', { connectionId })
  return (
    <Loaded query={kept} skeleton={<SkeletonRows rows={1} />}>
      {(all) => {
        const mine = all.filter(({ kind }) => kinds.includes(kind))
        if (mine.length === 0) return null
        return (
          <Section title={t('secret.keptTitle')} description={description}>
            <Rows label={t('secret.keptTitle')}>
              {mine.map((one) => (
                <KeptRow key={one.id} kept={one} actions={actions?.(one)} onForget={() => forget(one)} />
              ))}
            </Rows>
            {forgotten ? <ForgetDialog kept={forgotten} onClose={() => forget(undefined)} /> : null}
          </Section>
        )
      }}
    </Loaded>
  )
}
