import { lazy, Suspense } from 'react'
import styles from './toaster.module.css'

const Sonner = lazy(async () => ({ default: (await import('sonner')).Toaster }))

/** The place where toasts appear, clear of a page's buttons: once, around the app. Loaded after the first paint. */
export function Toaster({ theme, label }: { readonly theme: 'system' | 'light' | 'dark'; readonly label: string }) {
  return (
    <Suspense fallback={null}>
      <Sonner
        theme={theme}
        position="top-center"
        containerAriaLabel={label}
        toastOptions={{
          unstyled: true,
          classNames: {
            toast: styles.toast ?? '',
            title: styles.title ?? '',
            description: styles.description ?? '',
            icon: styles.icon ?? '',
            content: styles.content ?? '',
            actionButton: styles.action ?? '',
          },
        }}
      />
    </Suspense>
  )
}
