import { Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Field } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { PasteBox } from '../../ui/paste-box'
import { Select } from '../../ui/select'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './target-select.module.css'
import type { PlaygroundConnection } from './targets'

interface ApiKeyFieldProps {
  readonly connection: PlaygroundConnection
  readonly credential: 'iam' | 'apiKey'
  readonly onChange: (credential: 'iam' | 'apiKey') => void
}

/** Takes a platform API key from the clipboard through main and keeps it for the connection; the window sees its masked form. */
function KeptKey({ connection }: Pick<ApiKeyFieldProps, 'connection'>) {
  const { t } = useTranslation('playground')
  const { connectionId, kept } = connection
  const keeping = useAction('playground.keepApiKey', { invalidates: ['playground'] })
  const taking = useAction('plans.takeKeyFromClipboard', {
    onSuccess: ({ pendingId }) => keeping.mutate({ connectionId, pendingId }),
  })
  const forgetting = useAction('playground.forgetApiKey', { invalidates: ['playground'] })
  const failure = (taking.error ?? keeping.error ?? forgetting.error)?.failure
  const take = (): void => {
    if (!taking.isPending) taking.mutate({})
  }
  return (
    <div className={styles.kept}>
      <PasteBox
        label={t('target.apiKey')}
        state={kept === undefined ? 'open' : 'held'}
        masked={kept}
        how={t(kept === undefined ? 'target.apiKeyHow' : 'target.apiKeyKept')}
        keysHint={t('target.apiKeyKeys')}
        button={t(kept === undefined ? 'target.apiKeyPaste' : 'target.apiKeyReplace')}
        taken={t('target.apiKeyTaken', { masked: kept })}
        busy={taking.isPending || keeping.isPending}
        onTake={take}
      >
        {failure ? <ExplainedFailure failure={failure} tone="warning" /> : null}
      </PasteBox>
      {kept === undefined ? null : (
        <IconButton
          icon={Trash2}
          size="sm"
          label={t('target.apiKeyForget')}
          onClick={() => forgetting.mutate({ connectionId })}
        />
      )}
    </div>
  )
}

/** What platform inference is asked with: the connection's own token, or a platform API key. Subscription keys are never offered. */
export function ApiKeyField({ connection, credential, onChange }: ApiKeyFieldProps) {
  const { t } = useTranslation('playground')
  const options = [
    { value: 'iam', label: t('target.iam'), hint: connection.hasIam ? undefined : t('target.noIam') },
    { value: 'apiKey', label: t('target.apiKey'), hint: connection.kept },
  ]
  return (
    <>
      <Field label={t('target.credential')}>
        <Select
          value={credential}
          onValueChange={(value) => onChange(value === 'apiKey' ? 'apiKey' : 'iam')}
          options={options.map((option) => ({ ...option, disabled: option.value === 'iam' && !connection.hasIam }))}
        />
      </Field>
      {credential === 'apiKey' ? <KeptKey connection={connection} /> : null}
    </>
  )
}
