interface ToastOptions {
  readonly tone?: 'success' | 'info' | 'danger'
  readonly description?: string
  /** Undo, or go and look. */
  readonly action?: { readonly label: string; readonly onClick: () => void }
}

/** Says something that the eye could miss, for five seconds; a failure, which leads to its help, for ten. */
export async function toast(
  title: string,
  { tone = 'success', description, action }: ToastOptions = {},
): Promise<void> {
  const sonner = await import('sonner')
  const show = { success: sonner.toast.success, info: sonner.toast.info, danger: sonner.toast.error }[tone]
  show(title, {
    duration: tone === 'danger' ? 10_000 : 5000,
    ...(description ? { description } : {}),
    ...(action ? { action } : {}),
  })
}
