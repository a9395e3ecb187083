import type { AppView } from '@shared/contract'
import { KeyRound, ShieldAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { KeyValue } from '../../ui/key-value'
import { Card } from '../../ui/page'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { KeychainAdvice } from './keychain-advice'
import styles from './settings-page.module.css'

interface KeysStateProps {
  readonly vault: AppView['vault']
  readonly platform: AppView['platform']
}

type Session = KeysStateProps & { readonly vault: { readonly kind: 'session' } }

function HowToInstall({ vault, platform }: Session) {
  const { t } = useTranslation('settings')
  return (
    <div className={styles.install}>
      <KeyValue
        items={[
          { label: t('vault.install'), value: <KeychainAdvice platform={platform} /> },
          { label: t('vault.reason'), value: <span lang="en">{vault.reason}</span> },
        ]}
      />
    </div>
  )
}

/** Where keys are kept, and a press to look for a keychain again. */
export function KeysState({ vault, platform }: KeysStateProps) {
  const { t } = useTranslation('settings')
  const recheck = useAction('app.recheckVault', {
    invalidates: ['app', 'connections', 'plans'],
    onSuccess: ({ vault: { kind } }) => {
      void (kind === 'keychain' ? toast(t('vault.found')) : toast(t('vault.stillNone'), { tone: 'info' }))
    },
  })
  const isKept = vault.kind === 'keychain'
  const Icon = isKept ? KeyRound : ShieldAlert
  return (
    <Card>
      <div className={styles.vault}>
        <Icon size={18} strokeWidth={1.7} className={isKept ? styles.good : styles.warning} aria-hidden="true" />
        <div className={styles.words}>
          <p className={styles.label}>{t(`vault.${vault.kind}`)}</p>
          <p className={styles.hint}>{isKept ? t('vault.keychainText') : t('vault.sessionText')}</p>
        </div>
        <Button size="sm" busy={recheck.isPending} onClick={() => recheck.mutate({})}>
          {t('vault.recheck')}
        </Button>
      </div>
      {vault.kind === 'session' ? <HowToInstall vault={vault} platform={platform} /> : null}
      {recheck.error ? <ExplainedFailure failure={recheck.error.failure} /> : null}
    </Card>
  )
}
