export * from './allowances'
export * from './keys'
export * from './plan-entries'
export * from './plan-fields'
