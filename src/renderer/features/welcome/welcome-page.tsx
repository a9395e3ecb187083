import type { AppView } from '@shared/contract'
import { LockKeyhole, ShieldCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { KeychainAdvice } from '../settings'
import { Mark } from '../shell'
import { useBegin, Ways } from './onboarding'

/** The first screen: what the app does, three ways in, and what happens to keys. */
export function WelcomePage() {
  const { t } = useTranslation(['welcome', 'common'])
  const begin = useBegin()
  const { data: app } = useCall('app.get', {})
  return (
    <main className="flex h-full overflow-auto bg-page p-8">
      <title>{`${t('title')} · ${t('common:appName')}`}</title>
      <div className="m-auto flex w-full max-w-220 flex-col gap-6">
        <header className="mb-2 flex flex-col gap-4.5">
          <Mark size={44} />
          <div>
            <h1 className="text-balance font-[640] text-2xl leading-[1.25] tracking-[-0.022em]">{t('headline')}</h1>
            <p className="mt-2 max-w-155 text-pretty text-lg text-muted leading-[1.55]">{t('lead')}</p>
          </div>
        </header>
        <Ways begin={begin} />
        {app?.vault.kind === 'session' ? <NoKeychain platform={app.platform} reason={app.vault.reason} /> : null}
        <footer className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <ul className="flex flex-wrap gap-x-6 gap-y-1.5 text-muted *:flex *:items-center *:gap-2">
            {app?.vault.kind === 'session' ? null : (
              <li>
                <LockKeyhole size={14} strokeWidth={1.8} aria-hidden="true" />
                {t('keys')}
              </li>
            )}
            <li>
              <ShieldCheck size={14} strokeWidth={1.8} aria-hidden="true" />
              {t('privacy')}
            </li>
          </ul>
          <Button variant="ghost" className="-mr-3" onClick={begin.skip}>
            {t('skip')}
          </Button>
        </footer>
      </div>
    </main>
  )
}

/** Says that keys will not outlive the app, why, what to do about it, and looks again when asked. */
function NoKeychain({ platform, reason }: { readonly platform: AppView['platform']; readonly reason: string }) {
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
