import type { shell as english } from '../en/shell'
import type { Translation } from '../texts'

/** Words of the frame around the pages, in Vietnamese. */
export const shell: Translation<typeof english> = {
  skip: 'Chuyển đến nội dung',
  sidebar: 'Thanh bên',
  rail: 'Điều hướng chính',
  places: {
    home: 'Trang chủ',
    tools: 'Công cụ',
    profiles: 'Hồ sơ',
    plans: 'Gói token',
    usage: 'Mức sử dụng',
    register: 'Sổ khóa',
    sandbox: 'Sandbox',
    connections: 'Kết nối',
    settings: 'Cài đặt',
  },
  search: 'Tìm kiếm…',
  collapse: 'Thu gọn thanh bên',
  expand: 'Mở rộng thanh bên',
  switcher: {
    choose: 'Chuyển kết nối',
    none: 'Chưa có kết nối nào',
    noneInUse: 'Chưa dùng kết nối nào',
    heading: 'Kết nối',
    noAddress: 'Chưa có địa chỉ',
    manage: 'Quản lý kết nối',
    add: 'Thêm kết nối',
  },
  vault: {
    keychain: 'Khóa nằm trong chuỗi khóa',
    session: 'Khóa chỉ giữ đến khi thoát',
    failed: 'Chưa rõ về chuỗi khóa',
    looking: 'Đang tìm chuỗi khóa…',
  },
  relay: {
    unknown: 'Relay',
    off: 'Relay đang tắt',
    starting: 'Relay đang khởi động…',
    on: 'Relay đang chạy',
    paused: 'Relay tạm dừng',
    failed: 'Relay gặp lỗi',
    needed_other: 'Relay tắt: {{count}} công cụ chờ',
  },
  sandbox: {
    unknown: 'Sandbox',
    stopped: 'Sandbox đang dừng',
    starting: 'Sandbox đang khởi động…',
    running: 'Sandbox đang chạy',
    failed: 'Sandbox gặp lỗi',
  },
  shortcuts: {
    title: 'Phím tắt',
    palette: 'Tìm hoặc chạy lệnh',
    goTo: 'Đến {{place}}',
    rail: 'Thu gọn hoặc mở rộng thanh bên',
    list: 'Hiện danh sách này',
    dismiss: 'Đóng hộp thoại hoặc trình đơn',
  },
}
