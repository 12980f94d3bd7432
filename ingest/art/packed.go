package art

func (d *decoder) packed() error { return nil }
