import type { AppView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { KeychainAdvice } from '../settings/keychain-advice'

/** Says that keys will not outlive the app, why, what to do about it, and looks again when asked. */
export function NoKeychain({ platform, reason }: { readonly platform: AppView['platform']; readonly reason: string }) {
  const { t } = useTranslation('welcome')
  const recheck = useAction('app.recheckVault', { invalidates: ['app', 'connections', 'plans'] })
  return (
    <Callout
      tone="warning"
      title={t('noKeychain')}
      details={<span lang="en">{reason}</span>}
      actions={
        <Button size="sm" busy={recheck.isPending} onClick={() => recheck.mutate({})}>
          {t('recheck')}
        </Button>
      }
    >
      <KeychainAdvice platform={platform} />
    </Callout>
  )
}
